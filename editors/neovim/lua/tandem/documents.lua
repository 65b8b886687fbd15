-- Opening, saving, closing and reloading files for agents; diagnostics.

local client = require('tandem.client')
local context = require('tandem.context')
local names = require('tandem.names')
local position = require('tandem.position')
local safely = require('tandem.safely')
local view = require('tandem.view')

local M = {}

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
  local shown = vim.iter(windows):find(function(window)
    return vim.api.nvim_win_get_buf(window) == buffer
  end)
  local window = shown or vim.iter(windows):find(takes_files)
  -- Fails if 'hidden' is off and the window's buffer has unsaved changes.
  if window and pcall(vim.api.nvim_win_set_buf, window, buffer) then
    return vim.api.nvim_set_current_win(window)
  end
  vim.cmd.split({ mods = { split = 'topleft' } })
  vim.wo.winfixbuf = false
  vim.api.nvim_win_set_buf(0, buffer)
end

---Puts the cursor on a range. In Normal mode it is selected; in others it counts as selected until the cursor moves.
---@param buffer integer
---@param range tandem.Range
local function select_range(buffer, range)
  local first, last = position.place(buffer, range.start), position.place(buffer, range['end'])
  vim.api.nvim_win_set_cursor(0, { first[1] + 1, first[2] })
  vim.cmd('normal! zv')
  if vim.deep_equal(first, last) then
    return
  end
  if vim.api.nvim_get_mode().mode ~= 'n' or vim.o.selection ~= 'inclusive' then
    return context.keep_selection({ buffer = buffer, first = first, last = last, cursor = first })
  end
  -- The last selected character is the one before the end, which may be a line end.
  local line, column = last[1] + 1, last[2]
  if column == 0 then
    line, column = line - 1, #position.line_of(buffer, line - 2) + 1
  end
  vim.cmd('normal! v')
  vim.fn.cursor(line, column)
end

---Calls a function that may load a file which an agent names: no handler of archives, addresses or encrypted files
---reads it, and no message about a swap file waits for a key.
---@param load fun()
local function as_file(load)
  local ignored, short = vim.o.eventignore, vim.o.shortmess
  vim.opt.eventignore:append('BufReadCmd')
  vim.opt.shortmess:append('A')
  local is_ok, problem = pcall(load)
  vim.o.eventignore, vim.o.shortmess = ignored, short
  if not is_ok then
    error(problem, 0)
  end
end

client.handlers['document/open'] = function(params)
  local stat = vim.uv.fs_stat(params.path)
  if stat == nil then
    error(client.failure('not-found', params.path .. ' does not exist.'))
  elseif stat.type ~= 'file' then
    error(client.failure('not-a-file', params.path .. ' is not a file.'))
  elseif params.path:find('[%c`]') then
    -- Neovim 0.10 runs a command between backticks in the name of a file whose type it looks for.
    local problem = '%s cannot be opened: its name contains a backtick or a control character.'
    error(client.failure('failed', problem:format(names.visible(params.path))))
  end
  local buffer = context.buffer_of(params.path) or vim.fn.bufadd(params.path)
  vim.bo[buffer].buflisted = true
  context.changed()
  if not params.takeFocus then
    return
  end
  safely.run(function()
    if vim.api.nvim_get_mode().mode == 't' then
      vim.cmd.stopinsert()
    end
    as_file(function()
      enter(buffer)
    end)
    if params.range then
      select_range(buffer, params.range)
    end
    context.send()
  end)
end

client.handlers['document/save'] = function(params)
  local buffer = context.buffer_of(params.path)
  if buffer == nil or not vim.bo[buffer].modified then
    return buffer ~= nil
  end
  -- Otherwise Neovim would ask a question.
  if context.is_current(buffer) then
    vim.api.nvim_buf_call(buffer, function()
      pcall(vim.cmd.write, { mods = { silent = true, emsg_silent = true } })
    end)
    context.send()
  end
  return not vim.bo[buffer].modified
end

---Closes a buffer and keeps its windows.
---@param buffer integer
local function close(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_call(window, function()
      vim.cmd('silent! buffer #')
      if vim.api.nvim_get_current_buf() == buffer then
        vim.cmd('silent! bnext')
      end
      if vim.api.nvim_get_current_buf() == buffer then
        vim.cmd.enew()
      end
    end)
  end
  vim.api.nvim_buf_delete(buffer, {})
end

client.handlers['document/close'] = function(params)
  local buffer = context.buffer_of(params.path)
  local is_closed = buffer ~= nil and not vim.bo[buffer].modified and pcall(close, buffer)
  context.send()
  return is_closed
end

---The lines of a file as Neovim reads it, whatever its line ends and its encoding.
---@param path string
---@return string[]
local function lines_of(path)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_call(buffer, function()
    -- The name is not a part of a command line: it may contain a line end and a command.
    pcall(vim.cmd.read, {
      args = { path },
      range = { 0 },
      magic = { file = false, bar = false },
      mods = { silent = true, noautocmd = true, keepalt = true },
    })
  end)
  -- Without the line of the empty buffer.
  local lines =
    vim.api.nvim_buf_get_lines(buffer, 0, math.max(vim.api.nvim_buf_line_count(buffer) - 1, 1), false)
  vim.api.nvim_buf_delete(buffer, { force = true })
  return lines
end

---@type table<integer, integer> by buffer with unsaved changes: the buffer that shows its file
local on_disk = {}

---Shows a buffer with unsaved changes beside its file, which another program has written.
---@param buffer integer
---@param path string
local function show_conflict(buffer, path)
  safely.run(function()
    if not vim.api.nvim_buf_is_valid(buffer) or not vim.bo[buffer].modified then
      return
    end
    local disk = on_disk[buffer]
    local is_new = disk == nil or not vim.api.nvim_buf_is_valid(disk)
    if is_new then
      disk = vim.api.nvim_create_buf(false, true)
    end
    vim.bo[disk].modifiable = true
    vim.api.nvim_buf_set_lines(disk, 0, -1, false, lines_of(path))
    vim.bo[disk].modifiable = false
    if is_new then
      view.open_diff(disk, buffer, { left = ' on disk', right = ' your unsaved changes' })
      on_disk[buffer] = disk
      vim.bo[disk].bufhidden = 'wipe'
      local message = '%s was written; compare it with your changes in the new tab page'
      safely.notify(message:format(names.visible(vim.fs.basename(path))), vim.log.levels.WARN)
    end
  end)
end

client.handlers['file/written'] = function(params)
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
  if context.file_of(buffer).modified_at == nil then
    -- Neovim has not read it yet, so `:checktime` would ask.
    vim.api.nvim_buf_call(buffer, function()
      pcall(vim.cmd.edit, { mods = { silent = true } })
    end)
    return context.changed()
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

---Whether the end of the last line was written.
---@param buffer integer
---@return boolean
local function ends_line(buffer)
  local options = vim.bo[buffer]
  return options.endofline or (options.fixendofline and not options.binary)
end

---The user has written a buffer to a file, which need not be its own: `:write` may name another one.
---@param buffer integer
---@param name string
local function report_saved(buffer, name)
  local limit = client.limits.savedTextBytes
  local path = limit and vim.bo[buffer].buftype == '' and vim.uv.fs_realpath(name)
  if not path then
    return
  end
  local size = vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer))
  local saved = { path = path }
  if size <= 1 and vim.fn.wordcount().bytes == 0 then
    -- Unlike a buffer with one empty line.
    saved.text = ''
  elseif size <= limit then
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    saved.text = table.concat(lines, '\n') .. (ends_line(buffer) and '\n' or '')
  end
  client.notify('document/saved', saved)
end

local severities = { 'error', 'warning', 'info', 'hint' }

---@param buffer integer
---@return table[]
local function diagnostics_of(buffer)
  local function at(line, byte)
    if vim.api.nvim_buf_is_loaded(buffer) then
      return position.position(buffer, { line, byte })
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

client.handlers['diagnostics/get'] = function(params)
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
  return answer
end

---@param group integer
function M.watch(group)
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group,
    callback = function(event)
      if client.state == 'running' then
        -- The user's command must not fail.
        pcall(report_saved, event.buf, event.match)
      end
    end,
  })
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
