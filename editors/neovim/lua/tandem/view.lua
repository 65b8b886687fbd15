-- Two buffers as a native diff in a tab page of their own, made in the background.

local names = require('tandem.names')
local safely = require('tandem.safely')

local M = {}

---@class tandem.View
---@field tab integer
---@field left integer|nil window; nil if there was no room for two
---@field right integer window
---@field warnings integer|nil window above both, if there are any
---@field buffers { left: integer, right: integer }
---@field is_plain boolean without a comparison
---@field is_split boolean whether there was room for two

---A new window copies the options of the active window, which may be a terminal or a list.
---@param window integer
local function use_defaults(window)
  for option, info in pairs(vim.api.nvim_get_all_options_info()) do
    if info.scope == 'win' then
      local global = vim.api.nvim_get_option_value(option, { scope = 'global' })
      pcall(vim.api.nvim_set_option_value, option, global, { scope = 'local', win = window })
    end
  end
end

---A text for the line above a window.
---@param text string
---@return string
function M.escape(text)
  return (names.visible(text):gsub('%%', '%%%%'))
end

---Sets the line above the text of each window, where there is room for one.
---@param view tandem.View
---@param titles { left: string, right: string }
local function set_titles(view, titles)
  for side, title in pairs(titles) do
    local window = view[side]
    if window and vim.api.nvim_win_get_height(window) > 2 then
      vim.api.nvim_set_option_value('winbar', title, { scope = 'local', win = window })
    end
  end
end

---Sets the titles, and compares both sides again.
---@param view tandem.View
---@param titles { left: string, right: string }
function M.refresh(view, titles)
  set_titles(view, titles)
  if vim.wo[view.right].diff then
    vim.api.nvim_win_call(view.right, vim.cmd.diffupdate)
  end
end

---@type table<integer, true> the tab pages of views
local view_tabs = {}
---@type integer|nil the tab page that the user left last, other than those
local origin

---The user leaves a tab page.
function M.tab_left()
  local tab = vim.api.nvim_get_current_tabpage()
  origin = view_tabs[tab] and origin or tab
end

---Where the user came from: another review or, if there is none, a tab page of theirs.
---@return integer|nil
local function previous_tab()
  local previous = vim.api.nvim_list_tabpages()[vim.fn.tabpagenr('#')]
  local is_known = origin and vim.api.nvim_tabpage_is_valid(origin)
  return is_known and not view_tabs[previous] and origin or previous
end

---@param view tandem.View
local function open_left(view)
  local place = { split = 'left', win = view.right }
  local is_split, second = pcall(vim.api.nvim_open_win, view.buffers.left, false, place)
  view.left, view.is_split = is_split and second or nil, is_split
  if view.left and not view.is_plain then
    vim.api.nvim_win_call(view.left, vim.cmd.diffthis)
    vim.api.nvim_win_call(view.right, vim.cmd.diffthis)
  end
end

---Makes the window of the warnings as high as they are at its width.
---@param view tandem.View|nil
function M.fit_warnings(view)
  if view and view.warnings and vim.api.nvim_win_is_valid(view.warnings) then
    local height = vim.api.nvim_win_text_height(view.warnings, {}).all
    vim.api.nvim_win_set_height(view.warnings, math.min(height, math.max(vim.o.lines - 8, 1)))
  end
end

---Shows lines above both sides, in a window that is high enough for all of them at its width. Without lines it goes.
---@param view tandem.View
---@param lines string[]
function M.set_warnings(view, lines)
  if view.warnings and not vim.api.nvim_win_is_valid(view.warnings) then
    view.warnings = nil
  end
  if #lines == 0 then
    if view.warnings then
      safely.quietly(function()
        vim.api.nvim_win_close(view.warnings, true)
      end)
    end
    return
  end
  safely.quietly(function()
    local buffer = view.warnings and vim.api.nvim_win_get_buf(view.warnings)
      or vim.api.nvim_create_buf(false, true)
    vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = 'wipe', true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modifiable = false
    if not view.warnings then
      local had_left = view.left ~= nil and vim.api.nvim_win_is_valid(view.left)
      local was_left = had_left and vim.api.nvim_get_current_win() == view.left
      if had_left then
        -- It is opened again, so that the lines reach from side to side.
        vim.api.nvim_win_close(view.left, true)
      end
      local config = { split = 'above', win = view.right, style = 'minimal' }
      local is_open, window = pcall(vim.api.nvim_open_win, buffer, false, config)
      view.warnings = is_open and window or nil
      if had_left then
        open_left(view)
      end
      if was_left and view.left then
        vim.api.nvim_set_current_win(view.left)
      end
      if not is_open then
        return vim.api.nvim_buf_delete(buffer, { force = true })
      end
      for option, value in pairs({
        wrap = true,
        linebreak = true,
        winfixheight = true,
        diff = false,
        winbar = '',
      }) do
        vim.api.nvim_set_option_value(option, value, { scope = 'local', win = window })
      end
      vim.api.nvim_set_option_value('winhighlight', 'Normal:WarningMsg', { scope = 'local', win = window })
    end
    M.fit_warnings(view)
  end)
end

---Opens a tab page behind all others and stays where the user is: same window, mode and cursor. Call it
---when that is safe.
---@param left integer buffer
---@param right integer buffer
---@param titles { left: string, right: string }
---@param is_plain boolean|nil show them side by side without comparing them
---@return tandem.View
function M.open_diff(left, right, titles, is_plain)
  local view = { buffers = { left = left, right = right }, is_plain = is_plain == true }
  safely.quietly(function()
    local here = vim.api.nvim_get_current_tabpage()
    local before = vim.fn.tabpagenr('#')
    local fixed = vim.wo.winfixbuf
    vim.wo.winfixbuf = false
    local window = vim.api.nvim_get_current_win()
    -- `:sbuffer` would go to a window that shows the buffer, if 'switchbuf' says so.
    local is_open, problem = pcall(vim.cmd, ('$tab split | buffer %d'):format(right))
    view.right, view.tab = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_tabpage()
    if view.tab ~= here then
      use_defaults(view.right)
      -- The tab page for `g<Tab>` stays, too.
      if before > 0 then
        vim.cmd.tabnext(before)
      end
      vim.api.nvim_set_current_tabpage(here)
    end
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_set_option_value('winfixbuf', fixed, { scope = 'local', win = window })
    end
    view_tabs[view.tab] = view.tab ~= here or nil
    if not is_open or view.tab == here then
      error(problem or 'no tab page', 0)
    end
    open_left(view)
  end)
  set_titles(view, titles)
  vim.cmd.redrawtabline()
  return view
end

---Whether a window of a view still shows its buffer.
---@param view tandem.View
---@param side "left"|"right"
---@return boolean
local function shows(view, side)
  local window = view[side]
  return window ~= nil
    and vim.api.nvim_win_is_valid(window)
    and vim.api.nvim_win_get_buf(window) == view.buffers[side]
end

---Whether both sides are still there.
---@param view tandem.View|nil
---@return boolean
function M.is_open(view)
  return view ~= nil and shows(view, 'right') and (not view.is_split or shows(view, 'left'))
end

---Whether the window of the proposal was closed. Without the left side, the view is not closed.
---@param view tandem.View|nil
---@return boolean
function M.is_closed(view)
  return view ~= nil and not vim.api.nvim_win_is_valid(view.right)
end

---Closes the windows of a view. If the user is there, they return to the tab page they came from.
---@param view tandem.View
function M.close(view)
  local is_here = vim.api.nvim_tabpage_is_valid(view.tab) and vim.api.nvim_get_current_tabpage() == view.tab
  local windows = {}
  for _, side in ipairs({ 'right', 'left' }) do
    if shows(view, side) then
      windows[#windows + 1] = view[side]
    end
  end
  if view.warnings and vim.api.nvim_win_is_valid(view.warnings) then
    windows[#windows + 1] = view.warnings
  end
  if is_here and #windows > 0 then
    vim.cmd.stopinsert()
    local others = #vim.api.nvim_tabpage_list_wins(view.tab) - #windows
    local back = previous_tab()
    if others == 0 and back and back ~= view.tab then
      vim.api.nvim_set_current_tabpage(back)
    elseif others == 0 and #vim.api.nvim_list_tabpages() == 1 then
      vim.cmd.new()
    end
  end
  view_tabs[view.tab] = nil
  safely.quietly(function()
    for _, window in ipairs(windows) do
      pcall(vim.api.nvim_win_close, window, true)
    end
  end)
  vim.cmd.redrawtabline()
end

---Goes to a view, with the cursor on a line of the right side.
---@param view tandem.View
---@param line integer 1-based
function M.enter(view, line)
  vim.api.nvim_set_current_win(view.right)
  vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
  vim.cmd('normal! zvzz')
end

---Fills the quickfix list.
---@param title string
---@param items table[]
function M.list(title, items)
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd.copen()
  -- A warning is never cut.
  vim.wo.wrap, vim.wo.linebreak = true, true
end

return M
