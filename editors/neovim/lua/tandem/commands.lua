-- The command :Tandem.

local client = require('tandem.client')
local context = require('tandem.context')
local reviews = require('tandem.review')
local terminal = require('tandem.terminal')

local M = {}

---@class tandem.Arguments
---@field text string what follows the name of the subcommand
---@field words string[]
---@field bang boolean
---@field lines { first: integer, last: integer }|nil 0-based

---@param message string
---@param level integer|nil
local function say(message, level)
  vim.notify(message, level or vim.log.levels.INFO, { title = 'Tandem' })
end

---Calls Tandem and shows its error.
---@param method string
---@param params table|nil
---@param use fun(result: any)
local function call(method, params, use)
  client.call(method, params, function(problem, result)
    if problem then
      say('Tandem: ' .. client.reason(problem), vim.log.levels.ERROR)
    else
      use(result)
    end
  end)
end

---@param use fun(review: tandem.Review)
local function with_one(use)
  local here = reviews.of_buffer(vim.api.nvim_get_current_buf())
  if here then
    return use(here)
  elseif #reviews.all == 0 then
    return say('No pending reviews')
  elseif #reviews.all == 1 then
    return use(reviews.all[1])
  end
  local function describe(review)
    return ('%s: %s'):format(review.shown.agentName, vim.fn.fnamemodify(review.shown.path, ':~:.'))
  end
  vim.ui.select(reviews.all, { prompt = 'Review:', format_item = describe }, function(choice)
    if choice and not choice.is_over then
      use(choice)
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
  local here = reviews.of_buffer(vim.api.nvim_get_current_buf())
  local at = step > 0 and 0 or 1
  for index, review in ipairs(reviews.all) do
    if review == here then
      at = index
    end
  end
  reviews.all[(at - 1 + step) % count + 1]:enter()
end

---Fills the quickfix list.
---@param title string
---@param items table[]
local function list(title, items)
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd.copen()
end

---Lines of a text in a window of their own.
---@param name string
---@param text string
local function show_text(name, text)
  vim.cmd('botright new')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(vim.trim(text), '\n', { plain = true }))
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable, vim.bo.buflisted = 'nofile', 'wipe', false, false
  pcall(vim.api.nvim_buf_set_name, 0, name)
end

---@param text string
---@param prompt string
---@param use fun(text: string)
local function with_text(text, prompt, use)
  if text ~= '' then
    return use(text)
  end
  vim.ui.input({ prompt = prompt }, function(answer)
    if answer and vim.trim(answer) ~= '' then
      use(answer)
    end
  end)
end

---@param interrupted table
local function settle(interrupted)
  local choices = { 'Apply it to the file', 'Discard it' }
  vim.ui.select(choices, { prompt = interrupted.path .. ':' }, function(_, choice)
    if choice == 1 then
      call('review/apply', { id = interrupted.id }, function()
        say('Applied to ' .. interrupted.path)
      end)
    elseif choice == 2 then
      call('review/discard', { id = interrupted.id }, function()
        say('Discarded')
      end)
    end
  end)
end

---@type table<string, { run: fun(arguments: tandem.Arguments), complete: (fun(): string[])|nil }>
local subcommands = {}

---@param name string
---@param run fun(arguments: tandem.Arguments)
---@param complete (fun(): string[])|nil
local function define(name, run, complete)
  subcommands[name] = { run = run, complete = complete }
end

define('review', function()
  with_one(function(review)
    review:enter()
  end)
end)

define('next', function()
  go(1)
end)

define('prev', function()
  go(-1)
end)

define('list', function()
  list(
    'Pending reviews',
    vim.tbl_map(function(review)
      local first = review.shown.hunks[1]
      return {
        bufnr = review.right,
        lnum = first and first.proposed.start + 1 or 1,
        text = ('%s: %s'):format(review.shown.agentName, review.shown.path),
      }
    end, reviews.all)
  )
end)

define('accept', function(arguments)
  with_one(function(review)
    review:accept({ overwrites = arguments.bang })
  end)
end)

define('reject', function(arguments)
  with_one(function(review)
    review:reject(arguments.text ~= '' and arguments.text or nil)
  end)
end)

define('feedback', function(arguments)
  with_one(function(review)
    review:flush()
    review:feedback(arguments.text ~= '' and arguments.text or nil, false)
  end)
end)

define('merge', function()
  with_one(function(review)
    review:flush()
    call('review/merge', { id = review.id }, function() end)
  end)
end)

define('comment', function(arguments)
  local buffer = vim.api.nvim_get_current_buf()
  local review = reviews.of_buffer(buffer)
  if review == nil then
    return say('Comments belong to reviews: go to one with :Tandem review', vim.log.levels.ERROR)
  end
  local lines = arguments.lines
  if lines == nil then
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    lines = { first = line, last = line }
  end
  local side = buffer == review.left and 'file' or 'proposal'
  with_text(arguments.text, 'Comment: ', function(text)
    review:flush()
    call('review/comment', { id = review.id, text = text, side = side, lines = lines }, function() end)
  end)
end)

define('mention', function(arguments)
  local file = context.file_of(vim.api.nvim_get_current_buf())
  if file == nil then
    return say('This buffer is no file on disk', vim.log.levels.ERROR)
  end
  call('mention', { path = file.path, lines = arguments.lines }, function(result)
    say(result.count == 0 and 'No connected agent takes mentions' or ('Mentioned to %d'):format(result.count))
  end)
end)

define('changes', function()
  call('changes/list', nil, function(files)
    local items = vim.tbl_map(function(file)
      local agents = {}
      for _, entry in ipairs(file.entries) do
        agents[entry.agent] = true
      end
      local text = ('%d changes by %s'):format(#file.entries, table.concat(vim.tbl_keys(agents), ', '))
      return { filename = file.path, lnum = 1, text = text }
    end, files)
    if #items == 0 then
      return say('No changes')
    end
    list('Changes by agents', items)
  end)
end)

define('restore', function(arguments)
  local file = context.file_of(vim.api.nvim_get_current_buf())
  local path = arguments.text ~= '' and vim.uv.fs_realpath(vim.fn.expand(arguments.text))
    or file and file.path
  if not path then
    return say('Restore which file?', vim.log.levels.ERROR)
  end
  call('changes/restore', { path = path, marksConflicts = arguments.bang or nil }, function(results)
    for _, result in ipairs(results) do
      say(('%s: %s'):format(vim.fn.fnamemodify(result.path, ':~:.'), result.reason or result.kind))
    end
  end)
end)

define('interrupted', function()
  call('review/list', nil, function(result)
    if #result.interrupted == 0 then
      return say('No interrupted reviews')
    end
    local function describe(each)
      return ('%s: %s'):format(each.agent, each.path)
    end
    local options = { prompt = 'Interrupted review:', format_item = describe }
    vim.ui.select(result.interrupted, options, function(choice)
      if choice then
        settle(choice)
      end
    end)
  end)
end)

define('pause', function()
  call('sharing/pause', nil, function()
    say('Agents no longer see your files and selection')
  end)
end)

define('resume', function()
  call('sharing/resume', nil, function()
    say('Agents see your files and selection')
  end)
end)

define('status', function()
  call('status', nil, function(status)
    local connected = {}
    for _, agent in ipairs(status.agents) do
      if #agent.sessions > 0 then
        connected[#connected + 1] = ('%s (%d)'):format(agent.displayName, #agent.sessions)
      end
    end
    say(
      ('Tandem %s: %s; %d pending, %d interrupted%s'):format(
        status.version,
        #connected == 0 and 'no agent is connected' or table.concat(connected, ', '),
        #status.reviews,
        #status.interrupted,
        status.sharing.isPaused and '; sharing is paused' or ''
      )
    )
  end)
end)

define('doctor', function()
  local command = vim.list_slice(require('tandem.config').current.command)
  command[#command] = 'doctor'
  local is_ok, problem = pcall(vim.system, command, { text = true, cwd = vim.fn.getcwd() }, function(result)
    vim.schedule(function()
      show_text('tandem://doctor', result.stdout .. result.stderr)
    end)
  end)
  if not is_ok then
    say('Tandem: ' .. tostring(problem), vim.log.levels.ERROR)
  end
end)

define('run', function(arguments)
  local id = arguments.words[1]
  if id == nil then
    return say('Run which agent?', vim.log.levels.ERROR)
  end
  terminal.run(id, vim.list_slice(arguments.words, 2))
end, function()
  return vim.tbl_map(function(agent)
    return agent.id
  end, client.agents)
end)

define('start', function()
  client.start()
end)

define('stop', function()
  client.stop()
end)

---@param options vim.api.keyset.create_user_command.command_args
function M.run(options)
  local name, text = options.args:match('^(%S+)%s*(.-)%s*$')
  local subcommand = subcommands[name or 'review']
  if subcommand == nil then
    return say('Tandem: unknown subcommand "' .. name .. '"; see :help :Tandem', vim.log.levels.ERROR)
  end
  subcommand.run({
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
  local candidates = vim.tbl_keys(subcommands)
  if name then
    local subcommand = subcommands[name]
    candidates = subcommand and subcommand.complete and subcommand.complete() or {}
  end
  table.sort(candidates)
  return vim.tbl_filter(function(each)
    return vim.startswith(each, typed)
  end, candidates)
end

return M
