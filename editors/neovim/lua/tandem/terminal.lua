-- Programs in terminals of Neovim.

local client = require('tandem.client')

local M = {}

---The user's 'showtabline' while ours is set.
---@type integer|nil
local replaced

---Whether a terminal may hold a running agent.
---@return boolean
local function has_agent()
  local agents = client.status and client.status.agents or {}
  local is_connected = vim.iter(agents):any(function(agent)
    return agent.sessions > 0
  end)
  return vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
    return vim.bo[buffer].buftype == 'terminal'
      and (is_connected or vim.b[buffer].tandem_agent == true)
      and vim.fn.jobwait({ vim.bo[buffer].channel }, 0)[1] == -1
  end)
end

---A line of tab pages that comes and goes with a review resizes the terminals. Claude Code 2.1 then leaves rows
---in wrong places, because a decision makes it draw at that moment. So the line stays while an agent runs.
---@param is_needed boolean
local function keep_tab_line(is_needed)
  if is_needed and vim.o.showtabline == 1 then
    replaced, vim.o.showtabline = 1, 2
  elseif not is_needed and replaced then
    vim.o.showtabline = vim.o.showtabline == 2 and replaced or vim.o.showtabline
    replaced = nil
  end
end

---@param group integer
function M.watch(group)
  local function update()
    keep_tab_line(has_agent())
  end
  local events = { 'TermOpen', 'TermClose', 'BufWipeout' }
  vim.api.nvim_create_autocmd(events, { group = group, callback = vim.schedule_wrap(update) })
  vim.api.nvim_create_autocmd('User', { group = group, pattern = 'TandemStatusChanged', callback = update })
end

---Starts a program in a terminal, in a window of its own.
---@param command string[]
---@param split string the command that makes the window
---@return boolean
function M.open(command, split)
  vim.cmd(split)
  vim.wo.winfixbuf = false
  vim.cmd.enew()
  local is_ok, job
  if vim.fn.has('nvim-0.11') == 1 then
    is_ok, job = pcall(vim.fn.jobstart, command, { term = true })
  else
    is_ok, job = pcall(vim.fn.termopen, command)
  end
  if is_ok and job > 0 then
    return true
  end
  vim.cmd.close({ bang = true, mods = { emsg_silent = true } })
  vim.notify(('Tandem: "%s" cannot be started'):format(command[1]), vim.log.levels.ERROR)
  return false
end

---Starts an agent in a terminal, in a window of its own, in Terminal mode.
---@param command string[]
---@param split string the command that makes the window
function M.run_agent(command, split)
  keep_tab_line(true)
  if M.open(command, split) then
    vim.b.tandem_agent = true
    vim.cmd.startinsert()
  end
  keep_tab_line(has_agent())
end

return M
