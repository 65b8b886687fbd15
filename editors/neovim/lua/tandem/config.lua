-- The options: see :help tandem-options.

---The folder that Neovim was started in, or that the user chose later.
local folder = vim.fn.getcwd(-1, -1)

---@class tandem.Config
---@field command string[]
---@field auto_start boolean
---@field trusted boolean
---@field workspace_folders fun(): string[]
---@field settings table
---@field open_view boolean
---@field on_close "reject"|"ask"|"keep"
---@field hooks "before"|"follow"|"after"|"off"
---@field terminal_split string
---@field notify boolean
---@field signs boolean
local defaults = {
  command = { 'tandem', 'editor' },
  auto_start = true,
  trusted = true,
  workspace_folders = function()
    return { folder }
  end,
  settings = {},
  open_view = true,
  on_close = 'reject',
  hooks = 'follow',
  terminal_split = 'botright vsplit',
  notify = true,
  signs = true,
}

local M = {
  ---@type tandem.Config
  current = vim.deepcopy(defaults),
}

---The user changed the current folder.
function M.follow_folder()
  folder = vim.fn.getcwd(-1, -1)
end

---@param options table|nil
function M.set(options)
  for name, value in pairs(options or {}) do
    if defaults[name] == nil then
      error(('tandem: there is no option "%s"; see :help tandem-options'):format(name), 0)
    elseif type(value) ~= type(defaults[name]) then
      error(('tandem: the option "%s" must be a %s'):format(name, type(defaults[name])), 0)
    end
  end
  M.current = vim.tbl_extend('force', vim.deepcopy(defaults), options or {})
end

return M
