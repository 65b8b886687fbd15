-- Texts of Tandem in buffers.

local names = require('tandem.names')

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
  local options = vim.bo[buffer]
  local was_modifiable = options.modifiable
  options.modifiable = true
  local before = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
  local changes = vim.diff(before, table.concat(lines, '\n') .. '\n', { result_type = 'indices' })
  ---@cast changes integer[][]
  for at = #changes, 1, -1 do
    local start, count, other, others = unpack(changes[at])
    local from = count == 0 and start or start - 1
    local replacement = others == 0 and {} or vim.list_slice(lines, other, other + others - 1)
    vim.api.nvim_buf_set_lines(buffer, from, from + count, false, replacement)
  end
  options.endofline, options.modified, options.modifiable = ends_line, false, was_modifiable
end

---Gives a buffer the name of one side of a review. No rule for file types and no handler of archives matches its end.
---@param buffer integer
---@param role string
---@param shown tandem.Shown
function M.set_name(buffer, role, shown)
  local file, agent = names.plain(vim.fs.basename(shown.path)), names.plain(shown.agentName:gsub('/', ' '))
  local wanted = ('tandem://%s/%s/%s (%s)'):format(role, shown.id, file, agent)
  -- A restored session, or a review that has just ended, may have a buffer of this name.
  for count = 1, 100 do
    if pcall(vim.api.nvim_buf_set_name, buffer, count == 1 and wanted or ('%s %d'):format(wanted, count)) then
      return
    end
  end
end

---Sets the options of a side of a review, which its buffer loses when it is unloaded. Nothing in the text is a
---command, and no swap file asks a question.
---@param buffer integer
---@param kind "nofile"|"acwrite"
function M.set_options(buffer, kind)
  local options = vim.bo[buffer]
  options.buftype, options.bufhidden, options.buflisted = kind, 'hide', false
  options.modeline, options.swapfile, options.undofile = false, false, false
  options.modifiable, options.readonly, options.fixendofline = true, false, false
end

---A buffer for one side of a review.
---@param role string
---@param shown tandem.Shown
---@param kind "nofile"|"acwrite"
---@return integer
function M.new_buffer(role, shown, kind)
  local buffer = vim.api.nvim_create_buf(false, true)
  M.set_options(buffer, kind)
  M.set_name(buffer, role, shown)
  return buffer
end

---The queries for languages within a text. Those that take the name of a file from the text are left out: the rules for
---file types expand that name. An index gives a query for a language, or nil to use the usual one.
local injections = setmetatable({}, {
  __index = function(_, language)
    for _, file in ipairs(vim.treesitter.query.get_files(language, 'injections')) do
      if table.concat(vim.fn.readfile(file), '\n'):find('@injection.filename', 1, true) then
        return ''
      end
    end
  end,
})

---Highlights a buffer as the file at a path. Not by 'filetype', whose plugins would attach language servers.
---@param buffer integer
---@param path string
function M.highlight(buffer, path)
  local filetype = vim.filetype.match({ filename = names.plain(path), buf = buffer })
  local size = vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer))
  if not filetype or size > max_highlighted then
    return
  end
  -- Neovim 0.10 has no language for most file types, whose parsers have the same name.
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  local is_parsed = pcall(function()
    vim.treesitter.get_parser(buffer, language, { injections = injections })
    vim.treesitter.start(buffer, language)
  end)
  if not is_parsed then
    pcall(vim.api.nvim_set_option_value, 'syntax', filetype, { buf = buffer })
  end
end

return M
