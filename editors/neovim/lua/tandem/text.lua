-- Texts of Tandem in buffers.

local M = {}

---Parsing a longer text, in bytes, would stop Neovim for a while.
local max_highlighted = 1024 * 1024

---Lines without the last line end, and whether there is one.
---@param text string
---@return string[] lines, boolean ends_line
local function to_lines(text)
  local ends_line = text:sub(-1) == '\n'
  return vim.split(ends_line and text:sub(1, -2) or text, '\n', { plain = true }), ends_line
end

---One empty line is an empty text, as in a buffer whose lines the user has deleted.
---@param buffer integer
---@return string
function M.of(buffer)
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  return text .. (text ~= '' and vim.bo[buffer].endofline and '\n' or '')
end

---Replaces only the lines that differ, so that the cursor and the marks stay.
---@param buffer integer
---@param text string
function M.set(buffer, text)
  local lines, ends_line = to_lines(text)
  local before = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
  local changes = vim.diff(before, table.concat(lines, '\n') .. '\n', { result_type = 'indices' })
  ---@cast changes integer[][]
  for at = #changes, 1, -1 do
    local start, count, other, others = unpack(changes[at])
    local from = count == 0 and start or start - 1
    local replacement = others == 0 and {} or vim.list_slice(lines, other, other + others - 1)
    vim.api.nvim_buf_set_lines(buffer, from, from + count, false, replacement)
  end
  vim.bo[buffer].endofline = ends_line
  vim.bo[buffer].modified = false
end

---A buffer for one side of a review.
---@param name string
---@param kind "nofile"|"acwrite"
---@return integer
function M.new_buffer(name, kind)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].buftype = kind
  vim.bo[buffer].fixendofline = false
  vim.bo[buffer].bufhidden = 'hide'
  vim.api.nvim_buf_set_name(buffer, name)
  return buffer
end

---Highlights a buffer as the file at a path. Not by 'filetype', whose plugins would attach language servers.
---@param buffer integer
---@param path string
function M.highlight(buffer, path)
  local filetype = vim.filetype.match({ filename = path, buf = buffer })
  local size = vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer))
  if not filetype or size > max_highlighted then
    return
  end
  -- Neovim 0.10 has no language for most file types, whose parsers have the same name.
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  if not pcall(vim.treesitter.start, buffer, language) then
    pcall(vim.api.nvim_set_option_value, 'syntax', filetype, { buf = buffer })
  end
end

return M
