-- The connection to the companion: start, restart, calls and the environment of terminals.

local config = require('tandem.config')
local rpc = require('tandem.rpc')
local safely = require('tandem.safely')

---@class tandem.Agent
---@field id string
---@field displayName string
---@field command string[]

---@class tandem.Status
---@field agents { id: string, displayName: string, sessions: integer }[]
---@field isPaused boolean
---@field pending integer
---@field interrupted integer

local M = {
  ---@type "stopped"|"starting"|"running"
  state = 'stopped',
  ---@type tandem.Agent[]
  agents = {},
  ---@type tandem.Status|nil
  status = nil,
  ---@type string|nil
  version = nil,
  ---@type integer|nil
  pid = nil,
  limits = { selectionBytes = 16384 },
  ---@type string[] the last lines of Tandem's log
  log = {},
  ---@type table<string, fun(params: table, reply: fun(result: any, problem: table|nil))>
  requests = {},
  ---@type table<string, fun(params: table)>
  notifications = {},
  ---@type fun()[] called when Tandem is ready
  on_ready = {},
  ---@type fun()[] called when Tandem has ended
  on_end = {},
  ---@type string[]|nil announced to `tandem editor --check`
  test_actions = nil,
}

---@type tandem.Connection|nil
local connection
---@type table<string, string|false> what the variables of our environment were before
local replaced = {}
local restarts = 0
local max_restarts = 6
local stable_after_ms = 60000

---@param problem table
---@return string
function M.reason(problem)
  return problem.message or 'unknown error'
end

---@param environment table<string, string>
local function export(environment)
  for name, value in pairs(environment) do
    if replaced[name] == nil then
      replaced[name] = vim.env[name] or false
    end
    vim.env[name] = value
  end
end

local function restore_environment()
  for name, value in pairs(replaced) do
    vim.env[name] = value or nil
  end
  replaced = {}
end

---The folders that agents may see: real paths.
---@return string[]
local function workspace_folders()
  local folders = config.current.workspace_folders
  local paths = folders and folders() or { vim.fn.getcwd(-1, -1) }
  return vim.tbl_map(function(path)
    return vim.uv.fs_realpath(path) or path
  end, paths)
end

local function workspace()
  return { workspaceFolders = workspace_folders(), isTrusted = config.current.trusted }
end

local function initialize()
  local version = vim.version()
  local params = vim.tbl_extend('error', workspace(), {
    protocolVersion = 1,
    editor = {
      name = 'neovim',
      displayName = 'Neovim',
      version = ('%d.%d.%d'):format(version.major, version.minor, version.patch),
      pid = vim.fn.getpid(),
    },
    capabilities = { diagnostics = true, terminals = true, test = M.test_actions },
    settings = next(config.current.settings) and config.current.settings or vim.empty_dict(),
  })
  connection:call('initialize', params, function(problem, result)
    if problem then
      if M.state == 'starting' and problem.code then
        safely.notify('Tandem cannot start: ' .. M.reason(problem), vim.log.levels.ERROR)
        M.stop()
      end
      return
    end
    M.state = 'running'
    M.agents, M.limits = result.agents, result.limits
    M.version, M.pid = result.tandem.version, result.tandem.pid
    export(result.environment)
    vim.defer_fn(function()
      if M.state == 'running' then
        restarts = 0
      end
    end, stable_after_ms)
    for _, ready in ipairs(M.on_ready) do
      ready()
    end
    M.emit('Started', {})
  end)
end

---@param code integer
---@param log string[]
local function ended(code, log)
  local was_wanted = M.state ~= 'stopped'
  connection = nil
  M.state, M.status, M.log = 'stopped', nil, log
  restore_environment()
  for _, run in ipairs(M.on_end) do
    run()
  end
  M.emit('Stopped', { code = code })
  if not was_wanted or vim.v.exiting ~= vim.NIL then
    return
  end
  local why = log[#log] and (': ' .. log[#log]) or ''
  if restarts >= max_restarts then
    safely.notify(
      'Tandem ends again and again' .. why .. ' (:Tandem start tries again)',
      vim.log.levels.ERROR
    )
    return
  end
  restarts = restarts + 1
  safely.notify(('Tandem ended with code %d%s; it is restarted'):format(code, why), vim.log.levels.WARN)
  M.state = 'starting'
  vim.defer_fn(function()
    if M.state == 'starting' and connection == nil then
      M.start()
    end
  end, 125 * 2 ^ restarts)
end

---Starts Tandem, unless it runs.
function M.start()
  if connection then
    return
  end
  local problem
  M.state = 'starting'
  connection, problem = rpc.start(config.current.command, {
    exit = ended,
    notify = function(method, params)
      local handle = M.notifications[method]
      if handle then
        handle(params)
      end
    end,
    request = function(method, params, reply)
      local handle = M.requests[method]
      if handle == nil then
        return reply(nil, { code = -32601, message = 'unknown method ' .. method })
      end
      local is_ok, message = pcall(handle, params, reply)
      if not is_ok then
        reply(nil, { code = -32000, message = tostring(message), data = { code = 'failed' } })
      end
    end,
  })
  if connection then
    return initialize()
  end
  M.state, M.log = 'stopped', { problem }
  local name = config.current.command[1]
  safely.notify(('Tandem: "%s" cannot be started; see :checkhealth tandem'):format(name), vim.log.levels.WARN)
end

---Stops Tandem; agents lose the editor.
function M.stop()
  restarts = 0
  M.state = 'stopped'
  if connection then
    connection:close()
  end
end

---@param method string
---@param params table|nil
---@param answer fun(problem: table|nil, result: any)
function M.call(method, params, answer)
  if M.state ~= 'running' then
    return answer({ message = 'Tandem is not running (:Tandem start)' })
  end
  connection:call(method, params, answer)
end

---@param method string
---@param params table|nil
function M.notify(method, params)
  if M.state == 'running' then
    connection:notify(method, params)
  end
end

---Sends the folders; the answer has their environment.
---@param answer fun()|nil
function M.workspace_changed(answer)
  M.call('workspace/changed', workspace(), function(problem, result)
    if not problem and result then
      export(result.environment)
    end
    if answer then
      answer()
    end
  end)
end

---Fires `User Tandem<name>`.
---@param name string
---@param data table
function M.emit(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'Tandem' .. name, modeline = false, data = data })
end

---For the health check.
function M.workspace_folders()
  return workspace_folders()
end

M.notifications['status/changed'] = function(params)
  M.status = params
  M.emit('StatusChanged', params)
  vim.cmd.redrawstatus({ bang = true })
end

M.notifications['session/changed'] = function(params)
  M.emit('SessionsChanged', params)
end

M.notifications.message = function(params)
  local levels = { error = vim.log.levels.ERROR, warning = vim.log.levels.WARN }
  safely.notify(params.message, levels[params.type])
end

return M
