-- The public API: setup(), start(), stop(), statusline().

local M = {}

local is_watching = false

---Options are optional; see :help tandem-options.
---@param options table|nil
function M.setup(options)
  require('tandem.config').set(options)
  local client = package.loaded['tandem.client']
  if client then
    client.hooks_changed()
  end
end

---Starts the companion, unless it runs.
function M.start()
  if not is_watching then
    is_watching = true
    local group = vim.api.nvim_create_augroup('tandem', {})
    for _, name in ipairs({ 'context', 'documents', 'reviews', 'terminal', 'changes' }) do
      require('tandem.' .. name).watch(group)
    end
  end
  require('tandem.client').start()
end

---Stops the companion; agents lose the editor.
function M.stop()
  require('tandem.reviews').flush()
  require('tandem.client').stop()
end

---A few characters for a status line; empty while there is nothing to say.
---@return string
function M.statusline()
  local client = package.loaded['tandem.client']
  local status = client and client.status
  if not status then
    return ''
  end
  local sessions = 0
  for _, agent in ipairs(status.agents) do
    sessions = sessions + agent.sessions
  end
  local parts = {}
  if status.pending > 0 then
    parts[#parts + 1] = status.pending == 1 and '1 review' or (status.pending .. ' reviews')
  end
  local changes = require('tandem.changes').count()
  if changes > 0 then
    parts[#parts + 1] = changes == 1 and '1 file to review' or (changes .. ' files to review')
  end
  if sessions > 0 then
    parts[#parts + 1] = sessions == 1 and '1 agent' or (sessions .. ' agents')
  end
  if status.isPaused then
    parts[#parts + 1] = 'paused'
  end
  return #parts == 0 and '' or 'Tandem: ' .. table.concat(parts, ', ')
end

return M
