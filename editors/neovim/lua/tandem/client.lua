-- The companion: its start and restart, calls to it, and the environment that it gives to terminals.

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
  ---@type { version: string, pid: integer } the last process
  tandem = {},
  limits = { selectionBytes = 16384 },
  ---@type string[] the last lines of Tandem's log
  log = {},
  ---@type table<string, fun(params: table): any> what Tandem calls; they return the result or raise `failure`
  handlers = {},
  ---@type fun()[] called when agents can connect
  on_ready = {},
  ---@type fun()[] called when Tandem has ended
  on_end = {},
  ---@type string[]|nil announced to `tandem editor --check`
  test_actions = nil,
}

---@type tandem.Connection|nil
local connection
local is_closing = false
---@type table<string, string|false> our environment as it was before
local replaced = {}
---@type string|nil the folder that we have put into PATH
local own_folder
local restarts = 0
local max_restarts = 6
local stable_after_ms = 60000

---Puts a folder first into PATH, in place of the one that we have put there.
---@param folder string|nil
local function put_first(folder)
  local folders = vim.split(vim.env.PATH or '', ':', { plain = true })
  folders = vim.tbl_filter(function(each)
    return each ~= own_folder and each ~= folder
  end, folders)
  if folder or own_folder then
    vim.env.PATH = table.concat(vim.list_extend({ folder }, folders), ':')
  end
  own_folder = folder
end

---@param environment table<string, string>
local function export(environment)
  put_first(environment.TANDEM_PATH)
  for name, value in pairs(environment) do
    if replaced[name] == nil then
      replaced[name] = vim.env[name] or false
    end
    vim.env[name] = value
  end
end

---The folders that agents may see: real paths.
---@return string[]
function M.workspace_folders()
  return vim.tbl_map(function(path)
    return vim.uv.fs_realpath(path) or path
  end, config.current.workspace_folders())
end

local function workspace()
  return { workspaceFolders = M.workspace_folders(), isTrusted = config.current.trusted }
end

local function initialize()
  local version = tostring(vim.version()):match('^[%d.]+')
  local params = vim.tbl_extend('error', workspace(), {
    protocolVersion = 2,
    editor = { name = 'neovim', displayName = 'Neovim', version = version, pid = vim.fn.getpid() },
    capabilities = { diagnostics = true, test = M.test_actions },
    settings = vim.tbl_extend('keep', config.current.settings, {
      whenClosed = config.current.on_close,
      hooks = config.current.hooks,
    }),
  })
  connection.call('initialize', params, function(problem, result)
    if is_closing then
      return
    elseif problem then
      if M.state == 'starting' and problem.code then
        safely.notify('Tandem: ' .. problem.message, vim.log.levels.ERROR)
        M.stop()
      end
      return
    end
    M.state = 'running'
    M.agents, M.limits, M.tandem = result.agents, result.limits, result.tandem
    export(result.environment)
    vim.defer_fn(function()
      restarts = M.state == 'running' and M.tandem == result.tandem and 0 or restarts
    end, stable_after_ms)
    for _, run in ipairs(M.on_ready) do
      run()
    end
    M.emit('Started', {})
  end)
end

---@param code integer
---@param log string[]
local function ended(code, log)
  local is_wanted, was_closing = M.state ~= 'stopped', is_closing
  connection, is_closing, M.state, M.status, M.log = nil, false, 'stopped', nil, log
  for name, value in pairs(replaced) do
    vim.env[name] = value or nil
  end
  replaced = {}
  put_first(nil)
  for _, run in ipairs(M.on_end) do
    run()
  end
  M.emit('Stopped', { code = code })
  if not is_wanted or vim.v.exiting ~= vim.NIL then
    return
  elseif was_closing then
    return M.start()
  end
  local outcome = ('Tandem ended with code %d'):format(code)
  if restarts >= max_restarts then
    return safely.notify(outcome .. '. Run :checkhealth tandem, then :Tandem start', vim.log.levels.ERROR)
  end
  restarts = restarts + 1
  local why = log[#log] and (': ' .. log[#log]) or ''
  safely.notify(outcome .. ' and restarts' .. why, vim.log.levels.WARN)
  M.state = 'starting'
  vim.defer_fn(function()
    if M.state == 'starting' then
      M.start()
    end
  end, 125 * 2 ^ restarts)
end

---@param method string
---@param params table
---@return any result, table|nil problem
local function receive(method, params)
  local handle = M.handlers[method]
  if handle == nil then
    return nil, { code = -32601, message = 'unknown method ' .. method }
  end
  local is_ok, result = pcall(handle, params)
  if is_ok then
    return result
  end
  return nil, type(result) == 'table' and result or M.failure('failed', tostring(result))
end

---What a handler raises to answer with an error.
---@param code string
---@param message string
function M.failure(code, message)
  return { code = -32000, message = message, data = { code = code } }
end

---Starts Tandem, unless it runs.
function M.start()
  if connection then
    -- If it is ending, `ended` starts the next one.
    M.state = is_closing and 'starting' or M.state
    return
  end
  local problem
  M.state = 'starting'
  connection, problem = rpc.start(config.current.command, { exit = ended, receive = receive })
  if connection then
    return initialize()
  end
  M.state, M.log = 'stopped', { problem }
  local name = config.current.command[1]
  safely.notify(('Tandem: "%s" cannot be started; see :checkhealth tandem'):format(name), vim.log.levels.WARN)
end

---Stops Tandem; agents lose the editor.
function M.stop()
  restarts, M.state = 0, 'stopped'
  if connection then
    is_closing = true
    connection.close()
  end
end

---@param method string
---@param params table|nil
---@param answer fun(problem: table|nil, result: any)
function M.call(method, params, answer)
  if M.state ~= 'running' then
    return answer({ message = 'Tandem is not running (:Tandem start)' })
  end
  connection.call(method, params, answer)
end

---The question that is the answer to a call, if it can be answered.
---@param problem table|nil
---@return tandem.Question|nil
function M.question_of(problem)
  local question = problem and problem.data and problem.data.question
  return question and #question.choices > 0 and question or nil
end

---Calls Tandem. Asks what Tandem asks before it does that, and shows its error.
---@param method string
---@param params table|nil
---@param use fun(result: any)|nil
function M.ask(method, params, use)
  M.call(method, params, function(problem, result)
    local question = M.question_of(problem)
    if question and params then
      safely.confirm(question, 'Cancel', function(choice)
        M.ask(method, vim.tbl_extend('force', params, { answer = choice.answer }), use)
      end)
    elseif problem then
      safely.say('Tandem: ' .. problem.message, vim.log.levels.ERROR)
    elseif use then
      use(result)
    end
  end)
end

---@param method string
---@param params table|nil
function M.notify(method, params)
  if M.state == 'running' then
    connection.notify(method, params)
  end
end

---@param result { environment: table<string, string> }|nil
local function export_from(_, result)
  if result then
    export(result.environment)
  end
end

---Sends the folders; the answer has their environment.
function M.workspace_changed()
  M.call('workspace/changed', workspace(), export_from)
end

---Sends which edits of agents that start from now on wait.
function M.hooks_changed()
  M.call('terminals/hooks', { hooks = config.current.hooks }, export_from)
end

---Fires `User Tandem<name>`.
---@param name string
---@param data table
function M.emit(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'Tandem' .. name, modeline = false, data = data })
end

M.handlers['status/changed'] = function(params)
  M.status = params
  M.emit('StatusChanged', params)
  vim.cmd.redrawstatus({ bang = true })
end

M.handlers['session/changed'] = function(params)
  M.emit('SessionsChanged', params)
end

M.handlers.message = function(params)
  safely.notify(
    params.message,
    vim.log.levels[({ error = 'ERROR', warning = 'WARN' })[params.type] or 'INFO']
  )
end

return M
