-- What agents have written without a review: the lines that wait for the user, with signs beside them.

local client = require('tandem.client')
local config = require('tandem.config')
local context = require('tandem.context')
local names = require('tandem.names')

local namespace = vim.api.nvim_create_namespace('tandem_changes')

---At most so many files are read for a list.
local max_files = 500
---A question shows so many lines of each side.
local max_lines = 20

---@class tandem.Hunk
---@field path string
---@field group string
---@field index integer
---@field stamp string
---@field start integer 0-based; with a `count` of 0, lines were removed before it
---@field count integer
---@field removed string[]
---@field removedCount integer
---@field session string
---@field turn { number: integer }|nil
---@field label string
---@field evidence string[]
---@field isUncertain boolean
---@field isCertain boolean

---@type table<string, boolean> the files with changes that wait for the user
local waiting = {}
---@type table<integer, table<integer, tandem.Hunk>> by buffer and mark
local shown = {}

local M = {}

---@param buffer integer
local function clear(buffer)
  shown[buffer] = nil
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  end
end

---@param buffer integer
---@param hunks tandem.Hunk[]
local function place(buffer, hunks)
  clear(buffer)
  local marks, count = {}, vim.api.nvim_buf_line_count(buffer)
  for _, hunk in ipairs(hunks) do
    local first = math.min(hunk.count == 0 and math.max(hunk.start - 1, 0) or hunk.start, count - 1)
    local last = math.min(math.max(hunk.start + hunk.count - 1, first), count - 1)
    local group = hunk.count == 0 and 'TandemRemoved'
      or hunk.removedCount == 0 and 'TandemAdded'
      or 'TandemChanged'
    local text = hunk.count == 0 and '_' or hunk.isUncertain and '┆' or '┃'
    local mark = vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, {
      end_row = last,
      sign_text = config.current.signs and text or nil,
      sign_hl_group = config.current.signs and group or nil,
      -- Below the signs of diagnostics.
      priority = 5,
    })
    marks[mark] = hunk
  end
  shown[buffer] = marks
end

---Shows what waits in a buffer, unless the buffer is not as its file.
---@param buffer integer
local function refresh(buffer)
  local file = vim.api.nvim_buf_is_loaded(buffer) and context.file_of(buffer)
  if not file or not waiting[file.path] then
    return clear(buffer)
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  client.call('changes/hunks', { path = file.path }, function(_, result)
    local is_same = vim.api.nvim_buf_is_valid(buffer) and vim.api.nvim_buf_get_changedtick(buffer) == tick
    -- The marks of an edited buffer have moved with its lines.
    if result and is_same and not vim.bo[buffer].modified then
      for _, hunk in ipairs(result.hunks) do
        hunk.path = file.path
      end
      place(buffer, result.hunks)
    end
  end)
end

local function refresh_shown()
  local seen = {}
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if not seen[buffer] then
      seen[buffer] = true
      refresh(buffer)
    end
  end
end

client.handlers['changes/changed'] = function(params)
  waiting = {}
  for _, path in ipairs(params.paths) do
    waiting[path] = true
  end
  refresh_shown()
  client.emit('ChangesWaiting', { count = #params.paths })
end

client.on_end[#client.on_end + 1] = function()
  waiting = {}
  for buffer in pairs(shown) do
    clear(buffer)
  end
end

---How many files have changes that wait for the user.
---@return integer
function M.count()
  return vim.tbl_count(waiting)
end

---The changes in these lines of the current buffer, from its first line to its last.
---@param first integer 0-based
---@param last integer
---@return { hunk: tandem.Hunk, line: integer }[]
function M.hunks_in(first, last)
  local buffer, found = vim.api.nvim_get_current_buf(), {}
  for mark, hunk in pairs(shown[buffer] or {}) do
    local at = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, { details = true })
    if at[1] and at[1] <= last and math.max(at[3].end_row or at[1], at[1]) >= first then
      found[#found + 1] = { hunk = hunk, line = at[1] }
    end
  end
  table.sort(found, function(one, other)
    return one.line < other.line
  end)
  return found
end

---@param lines { first: integer, last: integer }|nil
---@return tandem.Hunk[]
function M.chosen(lines)
  local line = vim.fn.line('.') - 1
  local found = M.hunks_in(lines and lines.first or line, lines and lines.last or line)
  return vim.tbl_map(function(each)
    return each.hunk
  end, found)
end

---What a change did, as lines of a diff below whose it is.
---@param hunk tandem.Hunk
---@return string[]
function M.describe(hunk)
  local lines = vim.tbl_map(names.visible, vim.list_extend({ hunk.label }, hunk.evidence))
  local function side(sign, texts, count)
    for at = 1, math.min(#texts, max_lines) do
      lines[#lines + 1] = sign .. names.visible(texts[at])
    end
    if count > math.min(#texts, max_lines) then
      lines[#lines + 1] = ('  … %d more lines'):format(count - math.min(#texts, max_lines))
    end
  end
  side('-', hunk.removed, hunk.removedCount)
  local buffer = context.buffer_of(hunk.path)
  local added = {}
  for mark, each in pairs(buffer and shown[buffer] or {}) do
    if each == hunk and hunk.count > 0 then
      local at = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, { details = true })
      added = vim.api.nvim_buf_get_lines(buffer, at[1], math.max(at[3].end_row or at[1], at[1]) + 1, false)
    end
  end
  side('+', added, #added)
  return lines
end

---The changes of all files that wait, file after file.
---@param use fun(hunks: tandem.Hunk[])
function M.with_all(use)
  local paths, all = vim.tbl_keys(waiting), {}
  table.sort(paths)
  paths = vim.list_slice(paths, 1, max_files)
  local left = #paths
  if left == 0 then
    return use(all)
  end
  local found = {}
  for at, path in ipairs(paths) do
    client.call('changes/hunks', { path = path }, function(_, result)
      found[at], left = result and result.hunks or {}, left - 1
      if left > 0 then
        return
      end
      for index, hunks in ipairs(found) do
        for _, hunk in ipairs(hunks) do
          hunk.path = paths[index]
          all[#all + 1] = hunk
        end
      end
      use(all)
    end)
  end
end

---@param group integer
function M.watch(group)
  for name, link in pairs({ Added = 'Added', Changed = 'Changed', Removed = 'Removed' }) do
    vim.api.nvim_set_hl(0, 'Tandem' .. name, { link = link, default = true })
  end
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'BufReadPost', 'BufWritePost', 'FileChangedShellPost' }, {
    group = group,
    callback = vim.schedule_wrap(function(event)
      if client.state == 'running' and (next(waiting) or shown[event.buf]) then
        refresh(event.buf)
      end
    end),
  })
  vim.api.nvim_create_autocmd({ 'BufUnload' }, {
    group = group,
    callback = function(event)
      shown[event.buf] = nil
    end,
  })
end

return M
