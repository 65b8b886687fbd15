-- :checkhealth tandem

local M = {}

---@param command string[]
---@return boolean is_ok, string output
local function run(command)
  local is_ok, result = pcall(function()
    return vim.system(command, { text = true }):wait(10000)
  end)
  if not is_ok then
    return false, tostring(result)
  end
  return result.code == 0, vim.trim(result.stdout .. result.stderr)
end

function M.check()
  local health = vim.health
  health.start('Tandem')
  if vim.fn.has('nvim-0.10') == 0 then
    return health.error('Neovim 0.10 or newer is needed; this is ' .. tostring(vim.version()))
  end
  health.ok('Neovim ' .. tostring(vim.version()))

  local client = require('tandem.client')
  local command = require('tandem.config').current.command
  local program = command[1]
  local install = { 'Install it: npm install --global tandem-cli' }
  if vim.fn.executable(program) == 0 then
    table.insert(
      install,
      'Or name it: require("tandem").setup({ command = { "/path/to/tandem", "editor" } })'
    )
    return health.error(('"%s" is not on the PATH'):format(program), install)
  end
  local help = vim.list_extend(vim.list_slice(command), { '--help' })
  local is_ok, output = run(help)
  if not is_ok then
    local what = ('"%s" does not work; it is too old, or broken'):format(table.concat(command, ' '))
    return health.error(what, { output, install[1] })
  end
  health.ok(('"%s" is %s'):format(program, vim.fn.exepath(program)))

  if client.state ~= 'running' then
    return health.warn('The companion is not running', { 'Start it: :Tandem start', unpack(client.log) })
  end
  health.ok(('The companion runs, version %s'):format(client.tandem.version))
  health.info('Folders: ' .. table.concat(client.workspace_folders(), ', '))
  local connected = vim.tbl_filter(function(agent)
    return agent.sessions > 0
  end, client.status and client.status.agents or {})
  for _, agent in ipairs(connected) do
    health.ok(('%s: %d connected'):format(agent.displayName, agent.sessions))
  end
  if #connected == 0 then
    health.warn('No agent is connected', {
      ':Tandem run claude starts one in a terminal',
      'An agent in a terminal that was opened before Tandem started does not find Neovim: open a new terminal',
      ':Tandem doctor looks further',
    })
  end
end

return M
