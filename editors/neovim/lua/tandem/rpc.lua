-- JSON-RPC 2.0 with a program over its standard input and output, one object per line.

---@class tandem.RpcHandlers
---@field request fun(method: string, params: table, reply: fun(result: any, problem: table|nil))
---@field notify fun(method: string, params: table)
---@field exit fun(code: integer, log: string[])

---@class tandem.Connection
---@field log string[] the last lines of the program's standard error
---@field private process vim.SystemObj
---@field private waiting table<integer, fun(problem: table|nil, result: any)>
---@field private last_id integer
---@field private handlers tandem.RpcHandlers
local Connection = {}
Connection.__index = Connection

local M = {}
local log_length = 40

---Calls `take` with each complete line of the chunks that the result is called with.
---@param take fun(line: string)
---@return fun(chunk: string)
local function line_splitter(take)
  local parts = {}
  return function(chunk)
    local from = 1
    while true do
      local at = chunk:find('\n', from, true)
      if at == nil then
        break
      end
      parts[#parts + 1] = chunk:sub(from, at - 1)
      local line = table.concat(parts)
      parts = {}
      from = at + 1
      take(line)
    end
    if from <= #chunk then
      parts[#parts + 1] = chunk:sub(from)
    end
  end
end

---Starts the program. Handlers and answers are called in the main loop.
---@param command string[]
---@param handlers tandem.RpcHandlers
---@return tandem.Connection|nil, string|nil problem
function M.start(command, handlers)
  local self = setmetatable({ waiting = {}, last_id = 0, handlers = handlers, log = {} }, Connection)
  local take_output = line_splitter(function(line)
    local is_json, message = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
    if is_json and type(message) == 'table' then
      vim.schedule(function()
        self:_receive(message)
      end)
    end
  end)
  local take_log = line_splitter(function(line)
    self.log[#self.log + 1] = line
    if #self.log > log_length then
      table.remove(self.log, 1)
    end
  end)
  local function reader(take)
    return function(_, chunk)
      if chunk then
        take(chunk)
      end
    end
  end
  local options = { stdin = true, stdout = reader(take_output), stderr = reader(take_log) }
  local is_started, process = pcall(vim.system, command, options, function(result)
    vim.schedule(function()
      self.process = nil
      for _, answer in pairs(self.waiting) do
        answer({ message = 'Tandem has ended.' })
      end
      self.waiting = {}
      handlers.exit(result.signal ~= 0 and result.signal + 128 or result.code, self.log)
    end)
  end)
  if not is_started then
    return nil, tostring(process)
  end
  self.process = process
  return self
end

---@private
---@param message table
function Connection:_receive(message)
  if message.method == nil then
    local answer = self.waiting[message.id]
    self.waiting[message.id or 0] = nil
    if answer then
      answer(message.error, message.result)
    end
  elseif message.id == nil then
    self.handlers.notify(message.method, message.params or {})
  else
    self.handlers.request(message.method, message.params or {}, function(result, problem)
      if result == nil then
        result = vim.NIL
      end
      self:_send({ id = message.id, result = problem == nil and result or nil, error = problem })
    end)
  end
end

---@private
---@param message table
function Connection:_send(message)
  if self.process == nil then
    return
  end
  message.jsonrpc = '2.0'
  -- A write to a process that has just ended fails; its exit is reported separately.
  pcall(self.process.write, self.process, vim.json.encode(message) .. '\n')
end

---@param method string
---@param params table|nil
function Connection:notify(method, params)
  self:_send({ method = method, params = params or vim.empty_dict() })
end

---@param method string
---@param params table|nil
---@param answer fun(problem: table|nil, result: any)
function Connection:call(method, params, answer)
  if self.process == nil then
    return answer({ message = 'Tandem is not running.' })
  end
  self.last_id = self.last_id + 1
  self.waiting[self.last_id] = answer
  self:_send({ id = self.last_id, method = method, params = params or vim.empty_dict() })
end

---Closes the program's input, upon which it ends.
function Connection:close()
  if self.process then
    pcall(self.process.write, self.process, nil)
  end
end

function Connection:kill()
  if self.process then
    self.process:kill('sigkill')
  end
end

return M
