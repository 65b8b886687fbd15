-- Positions of the protocol (0-based, UTF-16 code units) and of Neovim (0-based, bytes).

local M = {}

---@class tandem.Position
---@field line integer
---@field character integer

---@class tandem.Range
---@field start tandem.Position
---@field end tandem.Position

---@alias tandem.Place { [1]: integer, [2]: integer } 0-based line and byte

---@param buffer integer
---@param line integer
---@return string
function M.line_of(buffer, line)
  return vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
end

---@param buffer integer
---@param place tandem.Place
---@return tandem.Position
function M.position(buffer, place)
  -- Functions of Vim script take no NUL.
  local before = M.line_of(buffer, place[1]):sub(1, place[2]):gsub('%z', ' ')
  return { line = place[1], character = vim.fn.strutf16len(before, true) }
end

---The place of a position, within the text of a loaded buffer.
---@param buffer integer
---@param position tandem.Position
---@return tandem.Place
function M.place(buffer, position)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  local line = M.line_of(buffer, math.min(position.line, last))
  local byte = vim.fn.byteidxcomp((line:gsub('%z', ' ')), position.character, true)
  if position.line > last or byte < 0 then
    byte = #line
  end
  return { math.min(position.line, last), byte }
end

---The text between two places, the second excluded, with the line ends of the file, cut to a number of bytes.
---@param buffer integer
---@param first tandem.Place
---@param last tandem.Place
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
