-- What the view of a review shows besides both texts: the lines above them, and the comments.

local names = require('tandem.names')
local view = require('tandem.view')

local M = {}

local namespace = vim.api.nvim_create_namespace('tandem_comments')

---@param review tandem.Review
---@return { left: string, right: string }
function M.titles(review)
  local shown, file = review.shown, view.escape(review:file_name())
  local lefts = { missing = ' new file', binary = ' binary' }
  local left = lefts[shown.original.kind] or (' %s (current file)'):format(file)
  if review.is_lost then
    return { left = left, right = (' %s: Tandem has ended'):format(file) }
  elseif review.is_ended then
    return { left = left, right = (' %s: no longer proposed; what you type is kept'):format(file) }
  end
  local is_conflict = shown.file == 'conflict'
  local hint = is_conflict and '%#ErrorMsg# conflict: :Tandem merge %*' or ':w accepts, :Tandem reject'
  local right = (' %s proposes %%<%s · %s'):format(view.escape(shown.agentName), file, hint)
  return { left = left, right = right }
end

---What the user has to know before a decision, a sentence each.
---@param shown tandem.Shown
---@return string[]
function M.warnings(shown)
  -- The left side says that the file is new.
  if shown.isNewFile and #shown.warnings == 1 then
    return {}
  end
  return vim.tbl_map(names.visible, shown.warnings)
end

---The lines above a review: its warnings, with the name of the file if something has to be confirmed.
---@param review tandem.Review
---@return string[]
function M.lines_above(review)
  local lines = M.warnings(review.shown)
  if #(review.shown.concerns or {}) > 0 then
    table.insert(lines, 1, review:file_name())
  end
  return lines
end

---@param review tandem.Review
function M.show_comments(review)
  for _, buffer in ipairs({ review.left, review.right }) do
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  end
  for _, comment in ipairs(review.shown.comments) do
    local buffer = comment.side == 'file' and review.left or review.right
    local line = math.min(comment.lines and comment.lines.last or 0, vim.api.nvim_buf_line_count(buffer) - 1)
    vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, {
      virt_lines = vim.tbl_map(function(row)
        return { { '  ┃ ' .. row, 'DiagnosticInfo' } }
      end, vim.split(comment.text, '\n', { plain = true })),
      virt_lines_above = comment.lines == nil,
    })
  end
end

return M
