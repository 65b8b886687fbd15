-- The pending reviews, as Tandem shows and ends them.

local Review = require('tandem.review')
local client = require('tandem.client')
local config = require('tandem.config')
local safely = require('tandem.safely')
local typed = require('tandem.typed')
local view = require('tandem.view')

local M = {
  ---@type tandem.Review[] the oldest first
  all = {},
}

---@param id string
---@return tandem.Review|nil
function M.find(id)
  return vim.iter(M.all):find(function(each)
    return each.id == id
  end)
end

---The review whose buffer this is.
---@param buffer integer
---@return tandem.Review|nil
function M.of_buffer(buffer)
  return vim.iter(M.all):find(function(each)
    return each.left == buffer or each.right == buffer
  end)
end

---@param review tandem.Review
local function announce(review)
  local message = '%s proposes a change to %s (:Tandem review)'
  safely.notify(message:format(review.shown.agentName, review:file_name()))
  -- In Terminal mode, the next output of the program erases the message.
  if vim.api.nvim_get_mode().mode == 't' then
    vim.api.nvim_create_autocmd('TermLeave', {
      once = true,
      callback = vim.schedule_wrap(function()
        if not review.is_over then
          announce(review)
        end
      end),
    })
  end
end

---@param shown tandem.Shown
---@return tandem.Review
local function add(shown)
  local review = Review.new(shown, function()
    M.all = vim.tbl_filter(function(each)
      return not each.is_over
    end, M.all)
  end)
  -- After a restart, agents offer their proposals again in any order; their numbers stay.
  local at, number = #M.all + 1, tonumber(shown.id)
  while number and at > 1 and (tonumber(M.all[at - 1].id) or 0) > number do
    at = at - 1
  end
  table.insert(M.all, at, review)
  if config.current.notify then
    announce(review)
  end
  client.emit('ReviewOpened', { id = shown.id, path = shown.path, agent = shown.agent })
  return review
end

client.handlers['review/show'] = function(params)
  local review = M.find(params.review.id)
  if review then
    review:update(params.review)
  else
    review = add(params.review)
  end
  if config.current.open_view then
    safely.run(function()
      review:open_view()
    end)
  end
end

client.handlers['review/changed'] = function(params)
  local review = M.find(params.review.id)
  if review then
    review:update(params.review)
  end
end

client.handlers['review/close'] = function(params)
  local review = M.find(params.id)
  if review then
    -- What was typed after the decision is kept.
    if review.is_deciding and not review:is_ahead() then
      review:dispose()
    else
      review:finish()
    end
    client.emit('ReviewDecided', { id = params.id, path = review.shown.path, outcome = params.outcome })
  end
end

table.insert(client.on_end, function()
  for _, review in ipairs(M.all) do
    review:lose()
  end
end)

-- Tandem shows the reviews again that it restored; the others have ended.
table.insert(client.on_ready, function()
  client.call('review/list', nil, function(problem, result)
    if problem then
      return
    end
    local pending = {}
    for _, each in ipairs(result.reviews) do
      pending[each.id] = true
    end
    for _, review in ipairs(vim.list_slice(M.all)) do
      if review.is_lost and not pending[review.id] then
        review:dispose()
      end
    end
    local count = #result.interrupted
    if count > 0 then
      local message = '%d interrupted %s (:Tandem interrupted)'
      safely.notify(message:format(count, count == 1 and 'review' or 'reviews'), vim.log.levels.WARN)
    end
  end)
end)

---Sends what the user typed into all reviews.
function M.flush()
  for _, review in ipairs(M.all) do
    review:flush()
  end
end

---Deletes what a restored session has of views that no longer exist.
local function clean_session()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    local is_side = vim.startswith(name, 'tandem://file/') or vim.startswith(name, 'tandem://proposal/')
    if is_side and not M.of_buffer(buffer) and vim.bo[buffer].buftype == '' then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
end

---@param group integer
function M.watch(group)
  local function on(event, callback)
    vim.api.nvim_create_autocmd(event, { group = group, callback = callback })
  end
  typed.watch(group)
  typed.on_command[#typed.on_command + 1] = function(line)
    local buffer = vim.api.nvim_get_current_buf()
    local review = M.of_buffer(buffer)
    if review and review.right == buffer then
      review:command_typed(line)
    end
  end
  on(
    'WinClosed',
    vim.schedule_wrap(function()
      if vim.v.exiting ~= vim.NIL then
        return
      end
      local closed = vim.tbl_filter(function(review)
        return view.is_closed(review.view)
      end, M.all)
      for _, review in ipairs(closed) do
        review:view_closed(#closed > 1)
      end
    end)
  )
  on('TabLeave', view.tab_left)
  on({ 'VimResized', 'TabEnter' }, function()
    for _, review in ipairs(M.all) do
      view.fit_warnings(review.view)
    end
  end)
  on('SessionLoadPost', vim.schedule_wrap(clean_session))
  clean_session()
  -- Waits until Tandem has all typed text and all decisions, for a limited time.
  on('VimLeavePre', function()
    M.flush()
    vim.wait(3000, function()
      return vim.iter(M.all):all(function(review)
        return review.sending == 0 and not review.is_deciding
      end)
    end, 5)
    client.stop()
  end)
end

return M
