-- Changes of windows and tab pages that the user has not asked for, at a moment when they disturb nothing.

local M = {}

---In these modes, another window can be entered and left again without a trace.
local safe_modes = { n = true, nt = true, niI = true, niR = true, i = true, R = true, t = true }

---@type fun()[]
local queue = {}
local group

---@return boolean
function M.is_safe()
  return safe_modes[vim.api.nvim_get_mode().mode] == true
    and vim.fn.getcmdwintype() == ''
    -- Not within a mapping, an operator, an autocommand or while the completion menu is shown.
    and vim.fn.state('moxa') == ''
end

local function drain()
  while #queue > 0 and M.is_safe() do
    table.remove(queue, 1)()
  end
  if #queue == 0 and group then
    vim.api.nvim_del_augroup_by_id(group)
    group = nil
  end
end

---Runs a function now or as soon as it is safe: not in Visual mode, on the command line or in its window.
---@param run fun()
function M.run(run)
  queue[#queue + 1] = run
  drain()
  if #queue > 0 and group == nil then
    group = vim.api.nvim_create_augroup('tandem_safely', {})
    vim.api.nvim_create_autocmd({ 'SafeState', 'ModeChanged', 'CmdwinLeave', 'CompleteDone' }, {
      group = group,
      callback = vim.schedule_wrap(drain),
    })
  end
end

---Runs a function without autocommands and without drawing intermediate states.
---@param run fun()
function M.quietly(run)
  local ignored, lazy = vim.o.eventignore, vim.o.lazyredraw
  vim.o.eventignore, vim.o.lazyredraw = 'all', true
  local is_ok, problem = pcall(run)
  vim.o.eventignore, vim.o.lazyredraw = ignored, lazy
  if not is_ok then
    error(problem, 0)
  end
end

---@param message string
---@param level integer|nil
function M.say(message, level)
  vim.notify(message, level or vim.log.levels.INFO, { title = 'Tandem' })
end

---Says in one line what the user has not asked for, so that it never asks for a key.
---@param message string
---@param level integer|nil
function M.notify(message, level)
  M.run(function()
    local text = message:gsub('%s+', ' ')
    local width = math.max(vim.v.echospace, 20)
    if vim.fn.strdisplaywidth(text) > width then
      text = vim.fn.strcharpart(text, 0, width - 1) .. '…'
    end
    -- Otherwise it would be appended to an earlier message, and ask for a key.
    vim.cmd.redraw()
    M.say(text, level)
  end)
end

---Takes the keys that the user has typed already: they were meant for something else than a question.
---@return string
local function take_typed_keys()
  local keys = {}
  for _ = 1, 1000 do
    local key = vim.fn.getcharstr(0)
    if key == '' then
      break
    end
    keys[#keys + 1] = key
  end
  return table.concat(keys)
end

---Labels with a key for each.
---@param labels string[]
---@return string
local function with_keys(labels)
  local used = {}
  return table.concat(
    vim.tbl_map(function(label)
      for at = 1, #label do
        local key = label:sub(at, at):lower()
        if key:find('%a') and not used[key] then
          used[key] = true
          return label:sub(1, at - 1) .. '&' .. label:sub(at)
        end
      end
      return label
    end, labels),
    '\n'
  )
end

---@class tandem.Question
---@field message string
---@field detail string|nil
---@field choices { kind: string, label: string, answer: table }[]

---Asks a question of Tandem, in its words. By default nothing is done.
---@param question tandem.Question
---@param none string the label of the choice that does nothing, if the question has none
---@param use fun(choice: table)
function M.confirm(question, none, use)
  M.run(function()
    local choices, labels = {}, {}
    for _, choice in ipairs(question.choices) do
      if choice.kind == 'keep' then
        none = choice.label
      else
        choices[#choices + 1], labels[#labels + 1] = choice, choice.label
      end
    end
    labels[#labels + 1] = none
    local message = question.message .. (question.detail and '\n' .. question.detail or '')
    local typed = take_typed_keys()
    local at = vim.fn.confirm(message, with_keys(labels), #labels, 'Warning')
    if typed ~= '' then
      vim.api.nvim_feedkeys(typed, 't', false)
    end
    if choices[at] then
      use(choices[at])
    end
  end)
end

return M
