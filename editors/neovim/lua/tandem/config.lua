---@class tandem.Config
---@field command string[] starts Tandem for this editor
---@field auto_start boolean start with Neovim, if it has a user interface
---@field trusted boolean whether agents may work in the workspace
---@field workspace_folders (fun(): string[])|nil absolute paths; by default the current working directory
---@field settings table `agents`, `deny`, `gitignore` and `startsPaused` of Tandem
---@field open_view boolean open the view of a review in the background; otherwise `:Tandem review` opens it
---@field on_close "keep"|"reject"|"ask" what closing the view of a pending review does
---@field terminal_split string the command that makes the window of `:Tandem run`
---@field notify boolean announce reviews
local defaults = {
  command = { 'tandem', 'editor' },
  auto_start = true,
  trusted = true,
  workspace_folders = nil,
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
  options = options or {}
  vim.validate({ options = { options, 'table' } })
  for name, value in pairs(options) do
    local default = defaults[name]
    if default == nil and name ~= 'workspace_folders' then
      error(('tandem: there is no option "%s"; see :help tandem-options'):format(name), 0)
    end
    if default ~= nil and type(value) ~= type(default) then
      error(('tandem: the option "%s" must be a %s'):format(name, type(default)), 0)
    end
  end
  M.current = vim.tbl_extend('force', vim.deepcopy(defaults), options)
end

return M
