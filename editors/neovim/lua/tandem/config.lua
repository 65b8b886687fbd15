-- The options: see :help tandem-options.

---@class tandem.Config
---@field command string[]
---@field auto_start boolean
---@field trusted boolean
---@field workspace_folders fun(): string[]
---@field settings table
---@field open_view boolean
---@field on_close "keep"|"reject"|"ask"
---@field terminal_split string
---@field notify boolean
local defaults = {
  command = { 'tandem', 'editor' },
  auto_start = true,
  trusted = true,
  workspace_folders = function()
    return { vim.fn.getcwd(-1, -1) }
  end,
  settings = {},
  open_view = true,
  on_close = 'keep',
  terminal_split = 'botright vsplit',
  notify = true,
}

local M = {
  ---@type tandem.Config
  current = vim.deepcopy(defaults),
}

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
