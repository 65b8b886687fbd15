-- For tests with agents in terminals: sends what each terminal shows to a socket, one JSON object per line.

local M = {}

---The rows of a terminal, without what has scrolled away.
---@param buffer integer
---@return string
local function screen_of(buffer)
  local window = vim.fn.bufwinid(buffer)
  local rows = window > 0 and vim.api.nvim_win_get_height(window) or vim.b[buffer].rows or vim.o.lines
  vim.b[buffer].rows = rows
  return table.concat(vim.api.nvim_buf_get_lines(buffer, -rows - 1, -1, false), '\n')
end

---@param path string
function M.send_to(path)
  local channel = vim.fn.sockconnect('pipe', path)
  local function send(message)
    pcall(vim.fn.chansend, channel, vim.json.encode(message) .. '\n')
  end
  vim.api.nvim_create_autocmd('TermOpen', {
    callback = function(event)
      local buffer = event.buf
      local is_due = false
      send({ terminal = buffer, pid = vim.b[buffer].terminal_job_pid })
      vim.api.nvim_buf_attach(buffer, false, {
        on_lines = function()
          if is_due then
            return
          end
          is_due = true
          vim.schedule(function()
            is_due = false
            if vim.api.nvim_buf_is_valid(buffer) then
              send({ terminal = buffer, screen = screen_of(buffer) })
            end
          end)
        end,
      })
    end,
  })
  vim.api.nvim_create_autocmd('TermClose', {
    callback = function(event)
      send({ terminal = event.buf, code = vim.v.event.status })
    end,
  })
  return true
end

return M
