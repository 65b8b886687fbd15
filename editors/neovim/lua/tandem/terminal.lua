-- Agents in terminals of Neovim.

local client = require('tandem.client')
local config = require('tandem.config')

local M = {}

---@return integer[] buffers
local function terminals()
  return vim.tbl_filter(function(buffer)
    return vim.bo[buffer].buftype == 'terminal' and vim.b[buffer].terminal_job_pid ~= nil
  end, vim.api.nvim_list_bufs())
end

client.requests['terminal/insert'] = function(params, reply)
  local found = vim.tbl_filter(function(buffer)
    return vim.tbl_contains(params.pids, vim.b[buffer].terminal_job_pid)
  end, terminals())
  if #found ~= 1 then
    return reply(false)
  end
  local buffer = found[1]
  if not pcall(vim.api.nvim_chan_send, vim.bo[buffer].channel, params.text) then
    return reply(false)
  end
  if #vim.fn.win_findbuf(buffer) == 0 then
    pcall(vim.api.nvim_open_win, buffer, false, { split = 'below', win = 0 })
  end
  reply(true)
end

---Starts an agent in a terminal beside the current window.
---@param id string
---@param arguments string[]
function M.run(id, arguments)
  local agent
  for _, each in ipairs(client.agents) do
    if each.id == id then
      agent = each
    end
  end
  if agent == nil then
    return vim.notify('Tandem: there is no agent "' .. id .. '"', vim.log.levels.ERROR)
  end
  local command = vim.list_extend(vim.list_slice(agent.command), arguments)
  vim.cmd(config.current.terminal_split)
  vim.wo.winfixbuf = false
  vim.cmd.enew()
  local is_ok, job
  if vim.fn.has('nvim-0.11') == 1 then
    is_ok, job = pcall(vim.fn.jobstart, command, { term = true })
  else
    is_ok, job = pcall(vim.fn.termopen, command)
  end
  if not is_ok or job <= 0 then
    vim.cmd.close({ bang = true, mods = { emsg_silent = true } })
    return vim.notify('Tandem: ' .. command[1] .. ' cannot be started', vim.log.levels.ERROR)
  end
  vim.cmd.startinsert()
end

return M
