-- The subcommands of :Tandem.

local change_commands = require('tandem.change_commands')
local client = require('tandem.client')
local config = require('tandem.config')
local context = require('tandem.context')
local decoration = require('tandem.decoration')
local names = require('tandem.names')
local reviews = require('tandem.reviews')
local safely = require('tandem.safely')
local tandem = require('tandem')
local terminal = require('tandem.terminal')
local texts = require('tandem.text')
local view = require('tandem.view')

local ask, list, say = client.ask, view.list, safely.say

---@param path string
---@return string
local function short(path)
  return names.short(path, client.workspace_folders())
end

---@class tandem.Arguments
---@field text string what follows the name of the subcommand
---@field words string[]
---@field bang boolean
---@field lines { first: integer, last: integer }|nil 0-based

---@param id string
---@return string
local function name_of(id)
  local agent = vim.iter(client.agents):find(function(each)
    return each.id == id
  end)
  return agent and agent.displayName or id
end

---@param review tandem.Review
---@return string
local function describe(review)
  return ('%s: %s'):format(names.visible(review.shown.agentName), review:file_name())
end

---@param review tandem.Review
---@return string
local function describe_fully(review)
  return table.concat(vim.list_extend({ describe(review) }, decoration.warnings(review.shown)), ' · ')
end

---@return tandem.Review|nil
local function current()
  return reviews.of_buffer(vim.api.nvim_get_current_buf())
end

---The only item, or the one that the user chooses.
---@generic T
---@param items T[]
---@param prompt string
---@param format fun(item: T): string
---@param use fun(item: T)
local function with_item(items, prompt, format, use)
  if #items < 2 then
    return items[1] and use(items[1])
  end
  vim.ui.select(items, { prompt = prompt, format_item = format }, function(item)
    if item then
      use(item)
    end
  end)
end

---The review of the current window, otherwise the only one, or the one that the user chooses.
---@param use fun(review: tandem.Review)
local function with_review(use)
  if #reviews.all == 0 then
    return say('No pending reviews')
  end
  local here = current()
  with_item(here and { here } or reviews.all, 'Review:', describe_fully, function(review)
    if not review.is_over then
      use(review)
    end
  end)
end

---Goes to the review that follows or precedes the current one.
---@param step integer
local function go(step)
  local count = #reviews.all
  if count == 0 then
    return say('No pending reviews')
  end
  local at = step > 0 and 0 or 1
  for index, review in ipairs(reviews.all) do
    at = review == current() and index or at
  end
  reviews.all[(at - 1 + step) % count + 1]:enter()
end

---Decides all pending reviews of one session, after one question.
---@param decision "accept"|"reject"
local function decide_session(decision)
  local by_session = {}
  for _, review in ipairs(reviews.all) do
    by_session[review.shown.session] = by_session[review.shown.session] or review
  end
  local here = current()
  local choices = here and { here } or vim.tbl_values(by_session)
  if #choices == 0 then
    return say('No pending reviews')
  end
  with_item(choices, 'Session of:', describe, function(review)
    reviews.flush()
    ask('session/decide', { session = review.shown.session, decision = decision }, function(result)
      safely.notify(result.note)
    end)
  end)
end

---@param words string
---@param prompt string
---@param use fun(words: string)
local function with_words(words, prompt, use)
  if words ~= '' then
    return use(words)
  end
  vim.ui.input({ prompt = prompt }, function(answer)
    if answer and vim.trim(answer) ~= '' then
      use(answer)
    end
  end)
end

---@type table<string, fun(arguments: tandem.Arguments)>
local subcommands = vim.tbl_extend('error', {
  start = tandem.start,
  stop = tandem.stop,
}, change_commands)

function subcommands.review()
  with_review(function(review)
    review:enter()
  end)
end

function subcommands.next()
  go(1)
end

function subcommands.prev()
  go(-1)
end

function subcommands.list()
  local items = {}
  for _, review in ipairs(reviews.all) do
    items[#items + 1] = {
      bufnr = review.right,
      lnum = review:first_line(),
      module = review:file_name(),
      text = names.visible(review.shown.agentName),
    }
    for _, text in ipairs(decoration.warnings(review.shown)) do
      items[#items + 1] = { text = text, valid = 0 }
    end
  end
  list('Pending reviews', items)
end

function subcommands.accept(arguments)
  with_review(function(review)
    review:accept(arguments.bang)
  end)
end

function subcommands.reject(arguments)
  with_review(function(review)
    review:reject(arguments.text)
  end)
end

subcommands['accept-session'] = function()
  decide_session('accept')
end

subcommands['reject-session'] = function()
  decide_session('reject')
end

function subcommands.feedback(arguments)
  with_review(function(review)
    review:feedback(arguments.text, false)
  end)
end

function subcommands.merge()
  with_review(function(review)
    review:flush()
    ask('review/merge', { id = review.id, marksConflicts = true }, function(result)
      safely.notify(result.note or 'The file has no new changes')
    end)
  end)
end

function subcommands.action()
  with_review(function(review)
    local function label_of(action)
      return action.label
    end
    vim.ui.select(review.shown.actions, { prompt = 'Action:', format_item = label_of }, function(action)
      if action and not review.is_over then
        review:run(action.id)
      end
    end)
  end)
end

function subcommands.comment(arguments)
  local review = current()
  if review == nil then
    return say('No review in this window. Go to one with :Tandem review', vim.log.levels.ERROR)
  end
  local line = vim.fn.line('.') - 1
  local params = {
    id = review.id,
    side = vim.api.nvim_get_current_buf() == review.left and 'file' or 'proposal',
    lines = arguments.lines or { first = line, last = line },
  }
  with_words(arguments.text, 'Comment: ', function(words)
    review:flush()
    params.text = words
    ask('review/comment', params)
  end)
end

function subcommands.mention(arguments)
  local file = context.file_of(vim.api.nvim_get_current_buf())
  if file == nil then
    return say('This buffer is not a file on disk. Save it first', vim.log.levels.ERROR)
  end
  ask('mention', { path = file.path, lines = arguments.lines }, function(result)
    local agents = result.count == 1 and '1 agent' or result.count .. ' agents'
    say(result.count == 0 and 'No connected agent supports mentions' or 'Mentioned to ' .. agents)
  end)
end

---Shows an interrupted review in a tab page of its own, to look at.
---@param shown tandem.Shown
local function look_at(shown)
  safely.run(function()
    local function side(role, content)
      local buffer = texts.new_buffer(role, shown, 'nofile')
      texts.set(buffer, content)
      texts.highlight(buffer, shown.path)
      vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = 'wipe', false
      return buffer
    end
    local titles = { left = ' before', right = view.escape(' ' .. short(shown.path)) }
    local left, right = side('before', shown.original.text or ''), side('interrupted', shown.content)
    local opened = view.open_diff(left, right, titles, shown.original.kind == 'binary')
    view.set_warnings(opened, vim.tbl_map(names.visible, shown.warnings))
    view.refresh(opened, titles)
    view.enter(opened, 1)
  end)
end

function subcommands.interrupted()
  ask('review/list', nil, function(result)
    if #result.interrupted == 0 then
      return say('No interrupted reviews')
    end
    local function label(each)
      local known = ('%s (%s)'):format(short(each.path), each['end'].label)
      local parts = { ('%s: %s: %s'):format(each.group.label, name_of(each.agent), known) }
      for _, note in ipairs(each.notes) do
        parts[#parts + 1] = note.isWarning and names.visible(note.text) or nil
      end
      return table.concat(parts, ' · ')
    end
    vim.ui.select(result.interrupted, { prompt = 'Review:', format_item = label }, function(review)
      if review == nil then
        return
      end
      local actions = vim.list_extend({ { id = 'show', label = 'Show' } }, review.actions)
      local function label_of(action)
        return action.label
      end
      vim.ui.select(actions, { prompt = short(review.path) .. ':', format_item = label_of }, function(action)
        if action and action.id == 'show' then
          ask('review/read', { id = review.id }, function(read)
            look_at(read.review)
          end)
        elseif action then
          ask('review/run', { id = review.id, action = action.id }, function(done)
            say(done.note or action.label .. ': ' .. short(review.path))
          end)
        end
      end)
    end)
  end)
end

function subcommands.pause()
  ask('share/pause', nil, function()
    say('Sharing is paused')
  end)
end

function subcommands.resume()
  ask('share/resume', nil, function()
    say('Sharing is resumed')
  end)
end

for _, name in ipairs({ 'status', 'doctor' }) do
  subcommands[name] = function()
    local command = vim.list_slice(config.current.command)
    command[#command] = name
    terminal.open(command, 'botright split')
  end
end

function subcommands.run(arguments)
  local id = arguments.words[1]
  local agent = vim.iter(client.agents):find(function(each)
    return each.id == id
  end)
  if agent == nil then
    if #client.agents == 0 then
      return say('Tandem is not running (:Tandem start)', vim.log.levels.ERROR)
    end
    local unknown = id and ('There is no agent "%s"'):format(id) or 'Name an agent: :Tandem run {agent}'
    return say(unknown, vim.log.levels.ERROR)
  end
  local command = vim.list_extend(vim.list_slice(agent.command), arguments.words, 2)
  terminal.run_agent(command, config.current.terminal_split)
end

local M = {}

---@param options vim.api.keyset.create_user_command.command_args
function M.run(options)
  local name, text = options.args:match('^(%S+)%s*(.-)%s*$')
  local subcommand = subcommands[name or 'review']
  if subcommand == nil then
    return say('Tandem: unknown subcommand "' .. name .. '"; see :help :Tandem', vim.log.levels.ERROR)
  end
  subcommand({
    text = text or '',
    words = vim.split(text or '', '%s+', { trimempty = true }),
    bang = options.bang,
    lines = options.range > 0 and { first = options.line1 - 1, last = options.line2 - 1 } or nil,
  })
end

---@param typed string
---@param line string
---@return string[]
function M.complete(typed, line)
  local name = line:match('Tandem!?%s+(%S+)%s+')
  local candidates = name == nil and vim.tbl_keys(subcommands) or {}
  if name == 'run' then
    candidates = vim.tbl_map(function(agent)
      return agent.id
    end, client.agents)
  elseif name == 'keep' or name == 'undo' then
    -- Unescaped, a complete name could run a command.
    return vim.fn.getcompletion(vim.fn.fnameescape(typed), 'file')
  end
  table.sort(candidates)
  return vim.tbl_filter(function(each)
    return vim.startswith(each, typed)
  end, candidates)
end

return M
