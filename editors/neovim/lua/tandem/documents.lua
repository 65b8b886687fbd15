-- Opening, saving, closing and reloading files for agents; diagnostics.

local client = require('tandem.client')
local context = require('tandem.context')
local position = require('tandem.position')
local safely = require('tandem.safely')

local M = {}

---@param code string
---@param message string
local function failure(code, message)
  return { code = -32000, message = message, data = { code = code } }
end

---Whether a window may show a file: it is no terminal, list, floating window or view of a review.
---@param window integer
---@return boolean
local function takes_files(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  return vim.bo[buffer].buftype == ''
    and vim.api.nvim_win_get_config(window).relative == ''
    and not vim.wo[window].winfixbuf
    and not vim.wo[window].diff
end

---Shows a buffer in the window that shows it already, otherwise in one that takes files, otherwise in a new one.
---@param buffer integer
local function enter(buffer)
  local windows = vim.api.nvim_tabpage_list_wins(0)
  table.insert(windows, 1, vim.api.nvim_get_current_win())
  for _, window in ipairs(windows) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      return vim.api.nvim_set_current_win(window)
    end
  end
  for _, window in ipairs(windows) do
    if takes_files(window) then
      vim.api.nvim_set_current_win(window)
      -- Fails if 'hidden' is off and its buffer has unsaved changes.
      if pcall(vim.api.nvim_win_set_buf, window, buffer) then
        return
      end
    end
  end
  vim.cmd.split({ mods = { split = 'topleft' } })
  vim.wo.winfixbuf = false
  vim.api.nvim_win_set_buf(0, buffer)
end

---Puts the cursor on a range. In Normal mode it is selected; in others it counts as selected until the cursor moves.
---@param buffer integer
---@param range tandem.Range
local function select_range(buffer, range)
  local line, byte = position.clamp(buffer, range.start)
  local last_line, last_byte = position.clamp(buffer, range['end'])
  vim.api.nvim_win_set_cursor(0, { line + 1, byte })
  vim.cmd('normal! zv')
  if line == last_line and byte == last_byte then
    return
  end
  if vim.api.nvim_get_mode().mode == 'n' and vim.o.selection == 'inclusive' then
    -- The end is exclusive: the last selected character is the one before it, which may be a line end.
    local end_line, end_byte = last_line, last_byte
    if end_byte == 0 then
      end_line = end_line - 1
      end_byte = #position.line_of(buffer, end_line) + 1
    end
    vim.fn.setpos("'<", { 0, line + 1, byte + 1, 0 })
    vim.fn.setpos("'>", { 0, end_line + 1, end_byte, 0 })
    if vim.fn.visualmode() == 'v' then
      vim.cmd('normal! gv')
    else
      vim.fn.cursor(line + 1, byte + 1)
      vim.cmd('normal! v')
      vim.fn.cursor(end_line + 1, end_byte)
    end
  else
    local first = { line, byte }
    local selection = { buffer = buffer, first = first, last = { last_line, last_byte }, cursor = first }
    context.keep_selection(selection)
  end
end

client.requests['document/open'] = function(params, reply)
  local stat = vim.uv.fs_stat(params.path)
  if stat == nil then
    return reply(nil, failure('not-found', params.path .. ' does not exist.'))
  elseif stat.type ~= 'file' then
    return reply(nil, failure('not-a-file', params.path .. ' is not a file.'))
  end
  local buffer = context.buffer_of(params.path) or vim.fn.bufadd(params.path)
  vim.bo[buffer].buflisted = true
  context.changed()
  if not params.takeFocus then
    return reply(nil)
  end
  safely.run(function()
    if vim.api.nvim_get_mode().mode == 't' then
      vim.cmd.stopinsert()
    end
    local is_ok, problem = pcall(enter, buffer)
    if is_ok and params.range then
      is_ok, problem = pcall(select_range, buffer, params.range)
    end
    context.send()
    reply(nil, not is_ok and failure('failed', tostring(problem)) or nil)
  end)
end

client.requests['document/save'] = function(params, reply)
  local buffer = context.buffer_of(params.path)
  if buffer == nil then
    return reply(false)
  elseif not vim.bo[buffer].modified then
    return reply(true)
  elseif not context.is_current(buffer) then
    -- Neovim would ask a question.
    return reply(false)
  end
  vim.api.nvim_buf_call(buffer, function()
    pcall(vim.cmd.write, { mods = { silent = true, emsg_silent = true } })
  end)
  context.send()
  reply(not vim.bo[buffer].modified)
end

---Closes a buffer and keeps its windows.
---@param buffer integer
local function close(buffer)
  local other
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if other == nil then
      local listed = vim.tbl_filter(function(each)
        return each ~= buffer and vim.bo[each].buflisted and vim.api.nvim_buf_is_loaded(each)
      end, vim.api.nvim_list_bufs())
      local alternate = vim.fn.bufnr('#')
      other = vim.tbl_contains(listed, alternate) and alternate
        or listed[1]
        or vim.api.nvim_create_buf(true, false)
    end
    vim.api.nvim_win_set_buf(window, other)
  end
  vim.api.nvim_buf_delete(buffer, {})
end

client.requests['document/close'] = function(params, reply)
  local buffer = context.buffer_of(params.path)
  if buffer == nil or vim.bo[buffer].modified then
    return reply(false)
  end
  local is_ok = pcall(close, buffer)
  context.send()
  reply(is_ok)
end

---Shows a buffer with unsaved changes beside its file, which another program has written.
---@param buffer integer
---@param path string
local function show_conflict(buffer, path)
  safely.notify(
    vim.fn.fnamemodify(path, ':t')
      .. ' was written while you have unsaved changes: compare them in the new tab page',
    vim.log.levels.WARN
  )
  safely.run(function()
    if not vim.api.nvim_buf_is_valid(buffer) or not vim.bo[buffer].modified then
      return
    end
    local scratch = vim.api.nvim_create_buf(false, true)
    local is_ok, text = pcall(vim.fn.readfile, path)
    vim.api.nvim_buf_set_lines(scratch, 0, -1, false, is_ok and text or {})
    vim.bo[scratch].modifiable = false
    vim.bo[scratch].bufhidden = 'wipe'
    require('tandem.view').open_diff(scratch, buffer, { left = ' on disk', right = ' your unsaved changes' })
  end)
end

client.notifications['file/written'] = function(params)
  local buffer = context.buffer_of(params.path)
  if buffer == nil or not vim.api.nvim_buf_is_loaded(buffer) then
    return context.changed()
  end
  if vim.bo[buffer].modified then
    if not context.is_current(buffer) then
      show_conflict(buffer, params.path)
    end
    return
  end
  local autoread = vim.bo[buffer].autoread
  -- Without it, Neovim asks before it reloads.
  vim.bo[buffer].autoread = true
  pcall(vim.cmd.checktime, { args = { tostring(buffer) }, mods = { silent = true } })
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.bo[buffer].autoread = autoread
  end
  context.changed()
end

local severities = { 'error', 'warning', 'info', 'hint' }

---@param buffer integer
---@return table[]
local function diagnostics_of(buffer)
  local is_loaded = vim.api.nvim_buf_is_loaded(buffer)
  local function at(line, byte)
    if is_loaded then
      return position.position(buffer, line, byte)
    end
    return { line = line, character = byte }
  end
  return vim.tbl_map(function(each)
    return {
      message = each.message,
      severity = severities[each.severity],
      range = {
        start = at(each.lnum, each.col),
        ['end'] = at(each.end_lnum or each.lnum, each.end_col or each.col),
      },
      source = each.source,
      code = each.code,
    }
  end, vim.diagnostic.get(buffer))
end

client.requests['diagnostics/get'] = function(params, reply)
  local answer = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local file = context.file_of(buffer)
    if file and (params.path == nil or params.path == file.path) then
      local found = diagnostics_of(buffer)
      if params.path or #found > 0 then
        answer[#answer + 1] = { path = file.path, diagnostics = found }
      end
    end
  end
  reply(answer)
end

---@param group integer
function M.watch(group)
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    callback = function(event)
      local file = vim.api.nvim_buf_is_valid(event.buf) and context.file_of(event.buf)
      if file then
        client.notify('diagnostics/changed', { paths = { file.path } })
      end
    end,
  })
end

return M
