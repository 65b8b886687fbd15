-- JSON-RPC 2.0 with a program over its standard input and output, one object per line. Not vim.lsp.rpc: its log
-- would contain the tokens that agents connect with.

---@class tandem.Connection
---@field notify fun(method: string, params: table|nil)
---@field call fun(method: string, params: table|nil, answer: fun(problem: table|nil, result: any))
---@field close fun() closes the program's input, upon which it ends

---@class tandem.Handlers called in the main loop
---@field receive fun(method: string, params: table): any, table|nil the result, or a problem
---@field exit fun(code: integer, log: string[])

local M = {}
local log_length = 40

---Calls `take` with each complete line that arrives.
---@param take fun(line: string)
local function by_line(take)
  local parts = {}
  return function(_, chunk)
    local lines = vim.split(chunk or '', '\n', { plain = true })
    for at, line in ipairs(lines) do
      parts[#parts + 1] = line
      if at < #lines then
        take(table.concat(parts))
        parts = {}
      end
    end
  end
end

---@param command string[]
---@param handlers tandem.Handlers
---@return tandem.Connection|nil, string|nil problem
function M.start(command, handlers)
  local answers, log, last_id = {}, {}, 0
  ---@type vim.SystemObj|nil
  local process

  local function send(message)
    message.jsonrpc = '2.0'
    -- A write to a process that has just ended fails; its exit is reported separately.
    pcall(process.write, process, vim.json.encode(message) .. '\n')
  end

  local receive = vim.schedule_wrap(function(message)
    if message.method then
      local result, problem = handlers.receive(message.method, message.params)
      if message.id then
        if result == nil and not problem then
          result = vim.NIL
        end
        send({ id = message.id, result = result, error = problem })
      end
    elseif answers[message.id] then
      local answer = answers[message.id]
      answers[message.id] = nil
      answer(message.error, message.result)
    end
  end)

  local is_started, started = pcall(vim.system, command, {
    stdin = true,
    stdout = by_line(function(line)
      local is_json, message = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
      if is_json and type(message) == 'table' then
        receive(message)
      end
    end),
    stderr = by_line(function(line)
      log[#log + 1] = line
      if #log > log_length then
        table.remove(log, 1)
      end
    end),
  }, function(result)
    vim.schedule(function()
      for _, answer in pairs(answers) do
        answer({ message = 'Tandem has ended.' })
      end
      handlers.exit(result.signal ~= 0 and result.signal + 128 or result.code, log)
    end)
  end)
  if not is_started then
    return nil, tostring(started)
  end
  process = started
  return {
    notify = function(method, params)
      send({ method = method, params = params or vim.empty_dict() })
    end,
    call = function(method, params, answer)
      last_id = last_id + 1
      answers[last_id] = answer
      send({ id = last_id, method = method, params = params or vim.empty_dict() })
    end,
    close = function()
      pcall(process.write, process, nil)
    end,
  }
end

return M
