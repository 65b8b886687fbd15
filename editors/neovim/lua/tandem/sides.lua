-- The two buffers of a review, and what happens in them.

local names = require('tandem.names')
local safely = require('tandem.safely')
local text = require('tandem.text')
local typed = require('tandem.typed')

local M = {}

---Drawing colors takes longer than drawing the diff: they follow.
---@param review tandem.Review
---@param buffer integer
local function highlight(review, buffer)
  vim.schedule(function()
    if not review.is_over and vim.api.nvim_buf_is_valid(buffer) then
      text.highlight(buffer, review.shown.path)
    end
  end)
end

---Fills the right side. The text itself cannot be undone.
---@param review tandem.Review
local function prepare_right(review)
  vim.bo[review.right].undolevels = -1
  review:apply(review.right, review.shown.content)
  vim.bo[review.right].undolevels = vim.go.undolevels
  review:watch_text()
  review:mark()
  vim.keymap.set('n', 'ZZ', '<Cmd>xit<CR>', { buffer = review.right })
end

---`:write {file}`
---@param review tandem.Review
---@param path string
local function write_copy(review, path)
  vim.fn.writefile(vim.split(text.of(review.right), '\n', { plain = true }), path, 'b')
  safely.notify(names.visible(vim.fs.basename(path)) .. ' is written; the review stays pending')
end

---@param review tandem.Review
local function restore_sides_soon(review)
  vim.schedule(function()
    M.restore(review)
  end)
end

---@param review tandem.Review
local function watch_left(review)
  local function on(event, callback)
    vim.api.nvim_create_autocmd(event, { buffer = review.left, callback = callback })
  end
  -- `:edit`, or the view of an unloaded buffer.
  on('BufReadCmd', function()
    text.set_options(review.left, 'nofile')
    review:decorate()
  end)
  on('BufUnload', function()
    review.is_unloaded = true
  end)
  on('BufWipeout', function()
    restore_sides_soon(review)
  end)
end

---@param review tandem.Review
local function watch_right(review)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { buffer = review.right, callback = callback })
  end
  on('BufWriteCmd', function(event)
    if
      event.match ~= vim.api.nvim_buf_get_name(review.right) or not vim.startswith(event.match, 'tandem://')
    then
      return write_copy(review, event.match)
    end
    if typed.is_typed('BufWriteCmd', review.right) then
      review:accept(vim.v.cmdbang == 1)
    elseif not review.has_refused then
      review.has_refused = true
      local note = '%s stays pending: only a write that you type accepts it (:w or :Tandem accept)'
      safely.notify(note:format(review:file_name()), vim.log.levels.WARN)
    end
    review:mark()
  end)
  -- `:edit`, or the view of an unloaded buffer: both have ended the watching of its text.
  on('BufReadCmd', function()
    text.set_options(review.right, 'acwrite')
    prepare_right(review)
  end)
  -- Another window shows the right side, for example from the quickfix list: show the whole view instead.
  on('BufWinEnter', function()
    local window = vim.api.nvim_get_current_win()
    if review.is_deciding or (review.view and review.view.right == window) then
      return
    end
    vim.schedule(function()
      local is_there = vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == review.right
      local has_left = is_there
        and vim.api.nvim_win_call(window, function()
          return (pcall(vim.cmd.buffer, '#'))
        end)
      if has_left then
        review:enter()
      end
    end)
  end)
  -- `:quit!` unloads the buffer, too.
  on('QuitPre', function()
    review.is_quitting = true
    vim.schedule(function()
      review.is_quitting = false
    end)
  end)
  on('BufUnload', function()
    review.is_unloaded = not review.is_quitting
    review:flush()
    review.shown.content = text.of(review.right)
  end)
  on('BufWipeout', function()
    restore_sides_soon(review)
  end)
  -- A click in another window leaves the buffer, but not Insert mode.
  on(
    { 'ModeChanged', 'BufLeave' },
    vim.schedule_wrap(function()
      if review.is_ended and not review.is_over then
        review:finish()
      end
    end)
  )
end

---@param review tandem.Review
local function make_left(review)
  review.left = text.new_buffer('file', review.shown, 'nofile')
  watch_left(review)
  if review.shown.original.kind ~= 'binary' then
    highlight(review, review.left)
  end
end

---@param review tandem.Review
local function make_right(review)
  review.right = text.new_buffer('proposal', review.shown, 'acwrite')
  prepare_right(review)
  watch_right(review)
  highlight(review, review.right)
end

---Makes the sides again that the user wiped out, which also ended their autocommands.
---@param review tandem.Review
function M.restore(review)
  local has_left, has_right = vim.api.nvim_buf_is_valid(review.left), vim.api.nvim_buf_is_valid(review.right)
  if review.is_over or (has_left and has_right) then
    return
  end
  if not has_left then
    make_left(review)
  end
  if not has_right then
    make_right(review)
  end
  review:decorate()
end

---@param review tandem.Review
function M.make(review)
  make_left(review)
  make_right(review)
end

return M
