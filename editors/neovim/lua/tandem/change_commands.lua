-- The subcommands of :Tandem about what agents have written: show, keep and undo it.

local changes = require('tandem.changes')
local client = require('tandem.client')
local context = require('tandem.context')
local names = require('tandem.names')
local safely = require('tandem.safely')
local view = require('tandem.view')

local ask, list, say = client.ask, view.list, safely.say

---@type string[] what brings the last undo of the user back
local undone = {}

---@param path string
---@return string
local function short(path)
  return names.short(path, client.workspace_folders())
end

---Goes to the next or the previous change of the buffer.
---@param step integer
local function go(step)
  local line = vim.fn.line('.') - 1
  local all = changes.hunks_in(0, math.huge)
  if #all == 0 then
    return say('No changes wait in this file')
  end
  local target = step > 0 and all[1] or all[#all]
  for at = 1, #all do
    local each = all[step > 0 and at or #all - at + 1]
    if (each.line - line) * step > 0 then
      target = each
      break
    end
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target.line + 1, 0 })
end

---@param message string
---@param lines string[]
---@param label string
---@param use fun()
local function confirm(message, lines, label, use)
  safely.confirm({
    message = message,
    detail = table.concat(lines, '\n'),
    choices = { { kind = 'confirm', label = label, answer = {} } },
  }, 'Cancel', use)
end

---What happened to each file, as a sentence each.
---@param files { path: string, note: string }[]
---@return string[]
local function sentences(files)
  return vim.tbl_map(function(file)
    return short(file.path) .. ' ' .. names.visible(file.note)
  end, files)
end

---@param results { path: string, note: string, restoration: string|nil }[]
local function report_undone(results)
  local ids = vim.iter(results):fold({}, function(all, result)
    return vim.list_extend(all, { result.restoration })
  end)
  undone = #ids > 0 and ids or undone
  for _, sentence in ipairs(sentences(results)) do
    say(sentence)
  end
end

---Calls Tandem for chosen changes of one file.
---@param method string
---@param hunks tandem.Hunk[]
---@param use fun(result: any)
local function decide(method, hunks, use)
  local first = hunks[1]
  local params = { path = first.path, group = first.group, waits = true, stamp = first.stamp, hunks = {} }
  for _, hunk in ipairs(hunks) do
    if hunk.group ~= first.group then
      return say('These lines have changes of several turns. Choose those of one', vim.log.levels.ERROR)
    end
    table.insert(params.hunks, hunk.index)
  end
  ask(method, params, use)
end

---The file that the user names, which need not exist. The name is not expanded: it could run a command.
---@param typed string
---@return string|nil
local function named_file(typed)
  if typed == '%' then
    local file = context.file_of(vim.api.nvim_get_current_buf())
    return file and file.path
  end
  local path = vim.fs.normalize(typed, { expand_env = false })
  if not vim.startswith(path, '/') and not path:find('^%a:') then
    path = vim.fn.getcwd() .. '/' .. path
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(path)) or vim.fs.dirname(path)
  return vim.uv.fs_realpath(path)
    or vim.fs.normalize(folder .. '/' .. vim.fs.basename(path), { expand_env = false })
end

---Calls a function with the changes at the cursor or in a range; says that there are none.
---@param arguments tandem.Arguments
---@param use fun(hunks: tandem.Hunk[])
local function with_chosen(arguments, use)
  local hunks = changes.chosen(arguments.lines)
  if #hunks == 0 then
    local hint = 'No change waits in this line. See all with :Tandem changes; name a file, or % for this one'
    return say(hint, vim.log.levels.ERROR)
  end
  use(hunks)
end

---The turn or the session of the change at the cursor, or the one that the user chooses.
---@param is_session boolean
---@param use fun(selection: { session: string, turn: integer|nil, waits: boolean }, label: string)
local function with_turn(is_session, use)
  local function take(hunk)
    if hunk then
      local turn = not is_session and hunk.turn and hunk.turn.number or nil
      use({ session = hunk.session, turn = turn, waits = true }, hunk.label)
    end
  end
  local here = changes.chosen(nil)[1]
  if here and not here.isUncertain then
    return take(here)
  end
  changes.with_all(function(hunks)
    local choices, seen = {}, {}
    for _, hunk in ipairs(hunks) do
      local key = is_session and hunk.session or hunk.group
      if not hunk.isUncertain and not seen[key] then
        seen[key] = true
        choices[#choices + 1] = hunk
      end
    end
    if #choices == 0 then
      return say('No changes wait')
    elseif #choices == 1 then
      return take(choices[1])
    end
    vim.ui.select(choices, {
      prompt = is_session and 'Session of:' or 'Turn:',
      format_item = function(hunk)
        return names.visible(hunk.label)
      end,
    }, take)
  end)
end

---Undoes after the user has seen what that does to each file.
---@param selection table
local function undo_selected(selection)
  ask('changes/restore', vim.tbl_extend('force', selection, { previews = true }), function(previews)
    local files = vim.tbl_filter(function(file)
      return file.kind ~= 'nothing'
    end, previews)
    if #files == 0 then
      return say('Nothing to undo: the files no longer contain these changes')
    end
    local lines = sentences(files)
    for _, file in ipairs(files) do
      vim.list_extend(lines, vim.tbl_map(names.visible, file.evidence))
    end
    local count = #files == 1 and '1 file' or #files .. ' files'
    confirm(('Undo the changes to %s?'):format(count), lines, 'Undo ' .. count, function()
      ask('changes/restore', vim.tbl_extend('force', selection, { isPartial = true }), report_undone)
    end)
  end)
end

---@type table<string, fun(arguments: tandem.Arguments)>
local M = {}

function M.keep(arguments)
  local function report(result)
    safely.notify(names.visible(result.note))
  end
  if arguments.text ~= '' then
    return ask('changes/keep', { path = named_file(arguments.text), waits = true }, report)
  end
  with_chosen(arguments, function(hunks)
    decide('changes/keep', hunks, report)
  end)
end

function M.undo(arguments)
  if arguments.text ~= '' then
    local params = { path = named_file(arguments.text), marksConflicts = arguments.bang }
    return ask('changes/restore', params, report_undone)
  end
  with_chosen(arguments, function(hunks)
    local function undo()
      decide('changes/restore', hunks, report_undone)
    end
    local uncertain = vim.tbl_filter(function(hunk)
      return not hunk.isCertain
    end, hunks)
    if #uncertain == 0 then
      return undo()
    end
    local lines = vim.iter(uncertain):map(changes.describe):fold({}, vim.list_extend)
    confirm('Something else may have written these lines. Undo them?', lines, 'Undo', undo)
  end)
end

function M.redo()
  if #undone == 0 then
    return say('No undo to take back')
  end
  ask('changes/restore', { ids = undone }, report_undone)
end

for _, name in ipairs({ 'turn', 'session' }) do
  local is_session = name == 'session'
  M['keep-' .. name] = function()
    with_turn(is_session, function(selection)
      ask('changes/keep', selection, function(result)
        safely.notify(names.visible(result.note))
      end)
    end)
  end
  M['undo-' .. name] = function()
    with_turn(is_session, undo_selected)
  end
end

M['next-change'] = function()
  go(1)
end

M['prev-change'] = function()
  go(-1)
end

M['show-change'] = function(arguments)
  with_chosen(arguments, function(hunks)
    local lines = vim.iter(hunks):map(changes.describe):fold({}, vim.list_extend)
    vim.lsp.util.open_floating_preview(lines, 'diff', { focus_id = 'tandem_change', wrap = false })
  end)
end

---A line for a file of which no single lines can be shown, or all of which are of interest.
---@param file table
---@return table[] items
local function file_items(file)
  local lines = ('+%d -%d'):format(file.added, file.removed)
  if file.isAbsent then
    lines = 'no net change'
  elseif file.before.kind == 'binary' or file.now.kind == 'binary' then
    lines = 'binary'
  end
  local labels = vim.tbl_map(function(entry)
    return names.visible(entry.label)
  end, file.entries)
  local text = ('%s: %s'):format(lines, table.concat(labels, ', '))
  local items = { { filename = file.path, lnum = 1, text = text } }
  for _, note in ipairs(vim.list_extend(vim.list_slice(file.warnings or {}), file.notes)) do
    items[#items + 1] = { text = names.visible(note), valid = 0 }
  end
  return items
end

---@param hunk tandem.Hunk
---@return table
local function hunk_item(hunk)
  local counts = ('+%d -%d'):format(hunk.count, hunk.removedCount)
  local text = table.concat(vim.tbl_map(names.visible, vim.list_extend({ counts }, hunk.evidence)), ' · ')
  return { filename = hunk.path, lnum = math.max(hunk.start + (hunk.count > 0 and 1 or 0), 1), text = text }
end

---What waits, by session and turn; with [!], all files that agents have changed.
function M.changes(arguments)
  ask('changes/list', not arguments.bang and { waits = true } or nil, function(files)
    if #files == 0 then
      return say(arguments.bang and 'No changes of agents are recorded yet' or 'No changes wait for you')
    elseif arguments.bang then
      return list('Changes by agents', vim.iter(files):map(file_items):fold({}, vim.list_extend))
    end
    changes.with_all(function(hunks)
      local items, with_lines, order, groups = {}, {}, {}, {}
      for _, hunk in ipairs(hunks) do
        with_lines[hunk.path] = true
        if groups[hunk.group] == nil then
          groups[hunk.group] = { { text = names.visible(hunk.label), valid = 0 } }
          order[#order + 1] = hunk.group
        end
        table.insert(groups[hunk.group], hunk_item(hunk))
      end
      for _, group in ipairs(order) do
        vim.list_extend(items, groups[group])
      end
      for _, file in ipairs(files) do
        if not with_lines[file.path] then
          vim.list_extend(items, file_items(file))
        end
      end
      list('Changes to review', items)
    end)
  end)
end

return M
