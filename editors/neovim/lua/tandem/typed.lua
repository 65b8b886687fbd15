-- Whether the user typed the command that runs now, in the window where it runs. Autocommands, timers and plugins that
-- save files must decide nothing.

local M = {}

---The first bytes of keys that run a command of a mapping: <Cmd> and Lua functions.
local special = '\128\253'

---@class tandem.Typed
---@field is_typed boolean keys that the user typed are still processed
---@field runs_command boolean the last key runs a command
---@field window integer|nil where the last key arrived
---@field is_from_window boolean the command line comes from the command-line window
---@field mapping function|nil the Lua function that the last key runs
---@field is_user_command boolean the last command line runs a user command
local last = { is_typed = false, runs_command = false, is_from_window = false, is_user_command = false }

---@type fun(line: string)[] called with a command line before it is executed
M.on_command = {}

local function forget()
  last.is_typed = false
end

---All that a key does happens before what it schedules. A function that waits inside a mapping is a part of what the
---key does.
local function forget_later()
  vim.schedule(function()
    if debug.getinfo(2, 'f') == nil then
      forget()
    end
  end)
end

---Whether a command line runs a user command, which may be a Lua function.
---@param line string
---@return boolean
local function is_user_command(line)
  local is_command, parsed = pcall(vim.api.nvim_parse_cmd, line, {})
  local name = is_command and parsed.cmd or ''
  return (vim.api.nvim_buf_get_commands(0, {})[name] or vim.api.nvim_get_commands({})[name]) ~= nil
end

---@param line string
local function announce(line)
  for _, run in ipairs(M.on_command) do
    run(line)
  end
end

---Remembers the function of a mapping, or announces its command line.
---@param keys string what the user typed
local function take_mapping(keys)
  local mode = vim.api.nvim_get_mode().mode:sub(1, 1)
  local mapping = vim.fn.maparg(vim.fn.keytrans(keys), mode, false, true)
  last.mapping = mapping.callback
  local line = (mapping.rhs or ''):match('^<[Cc][Mm][Dd]>(.*)<[Cc][Rr]>')
  if line then
    announce(line)
  end
end

---@param key string
---@param typed string|nil empty if the key comes from a mapping, a register or a plugin
local function pressed(key, typed)
  local is_line = vim.api.nvim_get_mode().mode:sub(1, 1) == 'c'
  if typed and typed ~= '' then
    last.is_typed = true
    last.is_from_window = vim.fn.getcmdwintype() ~= ''
    forget_later()
  end
  last.mapping = nil
  last.is_user_command = false
  last.runs_command = vim.startswith(key, special) or key == '\r' or key == '\n'
  if not last.is_from_window then
    last.window = vim.api.nvim_get_current_win()
    last.runs_command = last.runs_command and (is_line or vim.startswith(key, special))
  end
  if last.is_typed and typed and typed ~= '' and vim.startswith(key, special) then
    take_mapping(typed)
  end
end

---Whether an autocommand has caused the one that is executed now for an event of a buffer.
---@param event string
---@param buffer integer
---@return boolean
local function is_nested(event, buffer)
  local stack = vim.fn.expand('<stack>')
  local pattern = ('<buffer=%d>'):format(buffer)
  -- The words between both are translated.
  local words = stack:match(('%s([^<>]+)%s[^<>]*$'):format(event, vim.pesc(pattern)))
  if not words then
    return true
  end
  local _, count = stack:gsub(vim.pesc(words), '')
  return count ~= 1
end

---Whether a plugin began what runs now: what it has scheduled can run right after a command of the user. A mapping, a
---user command and `:lua` are begun by the user. Neovim does not report the function of a user command.
---@return boolean
local function is_scheduled()
  local outermost
  -- Above this function, `is_typed` and the autocommand.
  for level = 4, math.huge do
    local info = debug.getinfo(level, 'Sf')
    if not info then
      break
    end
    outermost = info
  end
  if outermost == nil or outermost.what == 'main' or last.is_user_command then
    return false
  end
  return outermost.func ~= last.mapping
end

---Whether the user typed the command that causes the current autocommand of a buffer.
---@param event string
---@param buffer integer
---@return boolean
function M.is_typed(event, buffer)
  local window = vim.api.nvim_get_current_win()
  return last.is_typed
    and last.runs_command
    and last.window == window
    and vim.api.nvim_win_get_buf(window) == buffer
    and not vim.api.nvim_get_mode().mode:find('^[crt!]')
    -- Not in a callback, and not while an operator is pending.
    and vim.fn.state('co') == ''
    and not is_nested(event, buffer)
    and not is_scheduled()
end

---@param group integer
function M.watch(group)
  vim.on_key(pressed, vim.api.nvim_create_namespace('tandem_typed'))
  vim.api.nvim_create_autocmd('SafeState', { group = group, callback = forget })
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = group,
    pattern = ':',
    callback = function()
      if vim.v.event.abort then
        return
      end
      if last.is_from_window then
        last.is_typed, last.runs_command, last.is_from_window = true, true, false
        last.window = vim.api.nvim_get_current_win()
      end
      if last.is_typed then
        last.is_user_command = is_user_command(vim.fn.getcmdline())
        announce(vim.fn.getcmdline())
      end
    end,
  })
end

return M
