-- Two buffers as a native diff in a tab page of their own, made in the background.

local safely = require('tandem.safely')

local M = {}

---@class tandem.View
---@field tab integer
---@field left integer|nil window; nil if there was no room for two
---@field right integer window

---A new window copies these from the window that is active, which may be a terminal or a list.
local copied = {
  'number',
  'relativenumber',
  'signcolumn',
  'cursorline',
  'cursorcolumn',
  'colorcolumn',
  'foldcolumn',
  'list',
  'spell',
  'wrap',
  'statuscolumn',
  'winhighlight',
  'conceallevel',
  'winfixheight',
  'winfixwidth',
  'winbar',
}

---@param window integer
local function use_defaults(window)
  for _, name in ipairs(copied) do
    local global = vim.api.nvim_get_option_value(name, { scope = 'global' })
    vim.api.nvim_set_option_value(name, global, { scope = 'local', win = window })
  end
end

---Sets the line above a window's text, where there is room for one.
---@param window integer|nil
---@param text string
function M.set_title(window, text)
  if window and vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_height(window) > 2 then
    vim.api.nvim_set_option_value('winbar', text, { scope = 'local', win = window })
  end
end

---@param text string
---@return string
function M.escape(text)
  return (text:gsub('%%', '%%%%'):gsub('%c', ' '))
end

---Opens a tab page behind all others and stays where the user is: same window, mode and cursor. Call it
---when that is safe.
---@param left integer buffer
---@param right integer buffer
---@param titles { left: string, right: string }
---@param is_plain boolean|nil show them side by side without comparing them
---@return tandem.View
function M.open_diff(left, right, titles, is_plain)
  local view = {}
  safely.quietly(function()
    local here = vim.api.nvim_get_current_tabpage()
    local fixed = vim.wo.winfixbuf
    vim.wo.winfixbuf = false
    local window = vim.api.nvim_get_current_win()
    local is_open, problem = pcall(vim.cmd, ('$tab sbuffer %d'):format(right))
    view.right, view.tab = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_tabpage()
    if view.tab ~= here then
      use_defaults(view.right)
      vim.api.nvim_set_current_tabpage(here)
    end
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_set_option_value('winfixbuf', fixed, { scope = 'local', win = window })
    end
    if not is_open or view.tab == here then
      error(problem or 'no tab page', 0)
    end
    local is_split, second = pcall(vim.api.nvim_open_win, left, false, { split = 'left', win = view.right })
    view.left = is_split and second or nil
    for _, each in ipairs({ view.left, view.right }) do
      if not is_plain and view.left then
        vim.api.nvim_win_call(each, vim.cmd.diffthis)
      end
    end
  end)
  M.set_title(view.left, titles.left)
  M.set_title(view.right, titles.right)
  vim.cmd.redrawtabline()
  return view
end

---Whether both sides are still there.
---@param view tandem.View|nil
---@return boolean
function M.is_open(view)
  return view ~= nil
    and vim.api.nvim_win_is_valid(view.right)
    and (view.left == nil or vim.api.nvim_win_is_valid(view.left))
end

---Closes the windows of a view. If the user is there, they return to the tab page they came from.
---@param view tandem.View
function M.close(view)
  local is_here = vim.api.nvim_tabpage_is_valid(view.tab) and vim.api.nvim_get_current_tabpage() == view.tab
  local windows = vim.tbl_filter(function(window)
    return window ~= nil and vim.api.nvim_win_is_valid(window)
  end, { view.right, view.left })
  if is_here then
    vim.cmd.stopinsert()
    local others = #vim.api.nvim_tabpage_list_wins(view.tab) - #windows
    local back = vim.fn.tabpagenr('#')
    if others == 0 and back > 0 then
      vim.cmd.tabnext(back)
    elseif others == 0 and #vim.api.nvim_list_tabpages() == 1 then
      vim.cmd.new()
    end
  end
  safely.quietly(function()
    for _, window in ipairs(windows) do
      pcall(vim.api.nvim_win_close, window, true)
    end
  end)
  vim.cmd.redrawtabline()
end

---Goes to a view, with the cursor on a line of the right side.
---@param view tandem.View
---@param line integer|nil 1-based
function M.enter(view, line)
  vim.api.nvim_set_current_win(view.right)
  if line then
    local last = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_win_set_cursor(0, { math.min(math.max(line, 1), last), 0 })
    vim.cmd('normal! zvzz')
  end
end

return M
