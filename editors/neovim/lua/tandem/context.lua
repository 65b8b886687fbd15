-- What agents see of the editor: the open files, the active one, the cursor and the selection.

local client = require('tandem.client')
local config = require('tandem.config')
local position = require('tandem.position')

local M = {}

---The pause in milliseconds after which a snapshot is sent; Tandem waits longer before it informs agents.
local pause = 10

---@class tandem.OpenFile
---@field path string real path
---@field modified_at string|nil the state of the file when Neovim last read or wrote it; nil: it never did
---@type table<integer, tandem.OpenFile|false> by buffer; false: not a file on disk yet
local files = {}
---@type table<integer, integer> by buffer, in Unix milliseconds
local focused = {}
local last_stamp = 0

---@class tandem.Selection
---@field buffer integer
---@field first tandem.Place
---@field last tandem.Place exclusive
---@field cursor tandem.Place where the cursor has to stay
---@type tandem.Selection|nil what is or was selected last, until the cursor moves in its window
local kept

local timer = assert(vim.uv.new_timer())
local last_sent

---@param stat table
---@return string
local function stamp_of(stat)
  return ('%d.%d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size)
end

---The file of a buffer, if it is one that users edit and it is on disk.
---@param buffer integer
---@return tandem.OpenFile|nil
function M.file_of(buffer)
  if vim.bo[buffer].buftype ~= '' then
    return nil
  end
  local file = files[buffer]
  if not file then
    local name = vim.api.nvim_buf_get_name(buffer)
    local path = name ~= '' and not name:find('^%a[%w+.-]*://') and vim.uv.fs_realpath(name)
    local stat = path and vim.uv.fs_stat(path)
    -- Another program has created it if it was not there before.
    local modified_at = file == nil and stat and stamp_of(stat) or nil
    file = stat and stat.type == 'file' and { path = path, modified_at = modified_at } or false
    files[buffer] = file
  end
  return file or nil
end

---The listed buffer that shows a file.
---@param path string
---@return integer|nil
function M.buffer_of(path)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].buflisted then
      local file = M.file_of(buffer)
      if file and file.path == path then
        return buffer
      end
    end
  end
end

---Whether the file is as Neovim last read or wrote it.
---@param buffer integer
---@return boolean
function M.is_current(buffer)
  local file = M.file_of(buffer)
  local stat = file and vim.uv.fs_stat(file.path)
  return stat ~= nil and stat ~= false and stamp_of(stat) == file.modified_at
end

---@param mode string
---@return boolean
local function is_visual(mode)
  return mode:find('^[vV\22sS\19]') ~= nil
end

---@param mark string
---@return tandem.Place
local function place_of(mark)
  local found = vim.fn.getpos(mark)
  return { found[2] - 1, found[3] - 1 }
end

---@return tandem.Selection|nil
local function visual_selection()
  local mode = vim.api.nvim_get_mode().mode
  if not is_visual(mode) then
    return nil
  end
  local buffer, cursor = vim.api.nvim_get_current_buf(), place_of('.')
  local first, last = place_of('v'), place_of('.')
  if first[1] > last[1] or (first[1] == last[1] and first[2] > last[2]) then
    first, last = last, first
  end
  local line = position.line_of(buffer, last[1])
  if mode:find('^[VS]') then
    first[2], last[2] = 0, #line
  elseif vim.o.selection ~= 'exclusive' then
    if last[2] < #line then
      last[2] = last[2] + 1 + vim.str_utf_end(line, last[2] + 1)
    elseif last[1] + 1 < vim.api.nvim_buf_line_count(buffer) then
      last = { last[1] + 1, 0 }
    end
  end
  first[2] = math.min(first[2], #position.line_of(buffer, first[1]))
  return { buffer = buffer, first = first, last = last, cursor = cursor }
end

---Makes a range the selection of a buffer until the cursor moves.
---@param selection tandem.Selection
function M.keep_selection(selection)
  kept = selection
  M.changed()
end

---@param buffer integer
---@return tandem.Place
local function cursor_of(buffer)
  local window = vim.fn.bufwinid(buffer)
  local cursor = window > 0 and vim.api.nvim_win_get_cursor(window) or vim.api.nvim_buf_get_mark(buffer, '"')
  return { math.max(cursor[1] - 1, 0), cursor[2] }
end

---@param buffer integer
---@return table|nil
local function selection_of(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return nil
  end
  kept = visual_selection() or kept
  local selection = kept
  if selection == nil or selection.buffer ~= buffer then
    local cursor = cursor_of(buffer)
    selection = { buffer = buffer, first = cursor, last = cursor, cursor = cursor }
  end
  local first, last = selection.first, selection.last
  local is_ok, text = pcall(position.text_between, buffer, first, last, client.limits.selectionBytes)
  if not is_ok then
    return nil
  end
  return {
    range = { start = position.position(buffer, first), ['end'] = position.position(buffer, last) },
    cursor = position.position(buffer, selection.cursor),
    text = text,
  }
end

---@return table
local function take_snapshot()
  local entries = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local file = vim.bo[buffer].buflisted and M.file_of(buffer)
    if file then
      local language = vim.bo[buffer].filetype
      entries[#entries + 1] = {
        buffer = buffer,
        path = file.path,
        lastFocusedAt = focused[buffer],
        isDirty = vim.bo[buffer].modified,
        languageId = language ~= '' and language or nil,
      }
    end
  end
  table.sort(entries, function(one, other)
    local a, b = one.lastFocusedAt or 0, other.lastFocusedAt or 0
    return a > b or (a == b and one.buffer < other.buffer)
  end)
  -- In a terminal or a list, the file that the user worked in last stays active.
  local current = vim.api.nvim_get_current_buf()
  local is_special = vim.bo[current].buftype ~= ''
  local active
  for _, entry in ipairs(entries) do
    if active == nil and entry.lastFocusedAt and (is_special or entry.buffer == current) then
      active = entry.path
      entry.selection = selection_of(entry.buffer)
    end
    entry.buffer = nil
  end
  return { openFiles = entries, activePath = active }
end

---Sends the snapshot now, unless it equals the last one.
function M.send()
  timer:stop()
  local snapshot = take_snapshot()
  if client.state ~= 'running' or vim.deep_equal(snapshot, last_sent) then
    return
  end
  last_sent = snapshot
  client.notify('context/changed', snapshot)
end

---Something in the snapshot may have changed.
function M.changed()
  timer:start(pause, 0, vim.schedule_wrap(M.send))
end

local function stamp_focus()
  local buffer = vim.api.nvim_get_current_buf()
  if vim.bo[buffer].buftype == '' then
    local seconds, microseconds = vim.uv.gettimeofday()
    last_stamp = math.max(last_stamp + 1, seconds * 1000 + math.floor(microseconds / 1000))
    focused[buffer] = last_stamp
  end
  M.changed()
end

local function cursor_moved()
  local here = vim.api.nvim_get_current_buf()
  local selection = visual_selection()
  if selection then
    kept = selection
  elseif kept and kept.buffer == here and not vim.deep_equal(place_of('.'), kept.cursor) then
    kept = nil
  end
  M.changed()
end

---The selection stays if the user left Visual mode to go elsewhere, for example to an agent's terminal.
local left_visual_mode = vim.schedule_wrap(function()
  if kept and kept.buffer == vim.api.nvim_get_current_buf() then
    kept = nil
  end
  M.changed()
end)

---@param group integer
function M.watch(group)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'BufEnter', 'WinEnter', 'FocusGained' }, stamp_focus)
  on({ 'CursorMoved', 'CursorMovedI' }, cursor_moved)
  on('ModeChanged', function()
    if is_visual(vim.v.event.old_mode) and not is_visual(vim.v.event.new_mode) then
      left_visual_mode()
    else
      cursor_moved()
    end
  end)
  on({ 'BufReadPost', 'BufWritePost', 'BufFilePost', 'BufNewFile' }, function(event)
    files[event.buf] = nil
    M.file_of(event.buf)
    if event.buf == vim.api.nvim_get_current_buf() then
      stamp_focus()
    end
  end)
  on({ 'BufDelete', 'BufWipeout' }, function(event)
    files[event.buf], focused[event.buf] = nil, nil
    if kept and kept.buffer == event.buf then
      kept = nil
    end
    M.changed()
  end)
  on(
    { 'BufAdd', 'BufModifiedSet', 'TextChanged', 'TextChangedI', 'FileType', 'TabEnter', 'TermEnter' },
    M.changed
  )
  -- Not those of 'autochdir', which follows the current file: the workspace does not.
  vim.api.nvim_create_autocmd('DirChanged', {
    group = group,
    pattern = { 'global', 'tabpage', 'window' },
    callback = function()
      config.follow_folder()
      client.workspace_changed()
    end,
  })
  stamp_focus()
  client.on_ready[#client.on_ready + 1] = function()
    last_sent = nil
    M.send()
  end
end

return M
