-- :checkhealth tandem

local M = {}

function M.check()
  local health = vim.health
  local client = require('tandem.client')
  local config = require('tandem.config')

  health.start('Tandem')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or newer is needed')
  end

  local program = config.current.command[1]
  if vim.fn.executable(program) == 1 then
    health.ok(('"%s" is %s'):format(program, vim.fn.exepath(program)))
  else
    health.error(('"%s" is not on the PATH'):format(program), {
      'Install it: npm install --global tandem-cli',
      'Or name it: require("tandem").setup({ command = { "/path/to/tandem", "editor" } })',
    })
  end

  if client.state ~= 'running' then
    local advice = vim.list_extend({ 'Start it with :Tandem start' }, client.log)
    health.warn('The companion is not running', advice)
    return
  end
  health.ok(('The companion runs, version %s'):format(client.version))
  for _, folder in ipairs(client.workspace_folders()) do
    health.info('Folder: ' .. folder)
  end
  local connected = 0
  for _, agent in ipairs(client.status and client.status.agents or {}) do
    if agent.sessions > 0 then
      connected = connected + 1
      health.ok(('%s: %d connected'):format(agent.displayName, agent.sessions))
    end
  end
  if connected == 0 then
    health.info(
      'No agent is connected; :Tandem run claude starts one. Terminals opened before Tandem started do not find it.'
    )
  end
end

return M
