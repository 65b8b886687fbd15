-- Positions of the protocol (0-based, UTF-16 code units) and of Neovim (0-based, bytes).

local M = {}

---@class tandem.Position
---@field line integer
---@field character integer

---@class tandem.Range
---@field start tandem.Position
---@field end tandem.Position

---@param line string
---@param byte integer
---@return integer
function M.to_utf16(line, byte)
  -- Functions of Vim script take no NUL.
  return vim.fn.strutf16len((line:sub(1, byte):gsub('%z', ' ')), true)
end

---@param line string
---@param character integer
---@return integer
function M.to_byte(line, character)
  local byte = vim.fn.byteidxcomp((line:gsub('%z', ' ')), character, true)
  return byte < 0 and #line or byte
end

---@param buffer integer
---@param line integer
---@return string
function M.line_of(buffer, line)
  return vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
end

---@param buffer integer
---@param line integer 0-based
---@param byte integer
---@return tandem.Position
function M.position(buffer, line, byte)
  return { line = line, character = M.to_utf16(M.line_of(buffer, line), byte) }
end

---A position within the text of a loaded buffer, as 0-based line and byte.
---@param buffer integer
---@param position tandem.Position
---@return integer line, integer byte
function M.clamp(buffer, position)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  if position.line > last then
    return last, #M.line_of(buffer, last)
  end
  return position.line, M.to_byte(M.line_of(buffer, position.line), position.character)
end

---The text between two positions, with the line ends of the file, cut to a number of bytes.
---@param buffer integer
---@param first { [1]: integer, [2]: integer } 0-based line and byte
---@param last { [1]: integer, [2]: integer } exclusive
---@param limit integer
---@return string
function M.text_between(buffer, first, last, limit)
  if last[1] - first[1] > limit then
    last = { first[1] + limit, 0 }
  end
  local lines = vim.api.nvim_buf_get_text(buffer, first[1], first[2], last[1], last[2], {})
  local text = table.concat(lines, vim.bo[buffer].fileformat == 'dos' and '\r\n' or '\n')
  if #text <= limit then
    return text
  end
  local cut = text:sub(1, limit + 1)
  return cut:sub(1, #cut + vim.str_utf_start(cut, #cut) - 1)
end

return M
