-- Names from agents and repositories, which may contain anything.

local M = {}

---A name on one line, with pictures of its control characters.
---@param name string
---@return string
function M.visible(name)
  return (
    name:gsub('[%z\1-\31\127]', function(character)
      local code = character:byte()
      return vim.fn.nr2char(code == 127 and 0x2421 or 0x2400 + code)
    end)
  )
end

---A name without the characters that mean something to a shell, to the expansion of file names or to a status line.
---Other plugins show the names of buffers as they are, and Neovim's rules for file types expand names.
---@param name string
---@return string
function M.plain(name)
  return (name:gsub('[%z\1-\31\127%%#`\'"$*?{}\\|<>!&;]', '_'))
end

---The path of a file for the user: relative to one of the folders or to their home.
---@param path string
---@param folders string[]
---@return string
function M.short(path, folders)
  for _, folder in ipairs(folders) do
    local prefix = vim.endswith(folder, '/') and folder or folder .. '/'
    if vim.startswith(path, prefix) then
      return M.visible(path:sub(#prefix + 1))
    end
  end
  return M.visible(vim.fn.fnamemodify(path, ':~'))
end

return M
