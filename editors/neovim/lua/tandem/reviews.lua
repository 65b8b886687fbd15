-- The pending reviews, as Tandem shows and ends them.

local Review = require('tandem.review')
local client = require('tandem.client')
local config = require('tandem.config')
local safely = require('tandem.safely')
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

---@param review tandem.Review
---@return number
local function number_of(review)
  return tonumber(review.id) or math.huge
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
  local index = #M.all + 1
  while index > 1 and number_of(M.all[index - 1]) > number_of(review) do
    index = index - 1
  end
  table.insert(M.all, index, review)
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

---@param group integer
function M.watch(group)
  vim.api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = vim.schedule_wrap(function()
      for _, review in ipairs(M.all) do
        if review.view and not view.is_open(review.view) and vim.v.exiting == vim.NIL then
          review:view_closed()
        end
      end
    end),
  })
  -- Waits until Tandem has all typed text, at most a second.
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = group,
    callback = function()
      M.flush()
      vim.wait(1000, function()
        return vim.iter(M.all):all(function(review)
          return review.sending == 0
        end)
      end, 5)
      client.stop()
    end,
  })
end

return M
