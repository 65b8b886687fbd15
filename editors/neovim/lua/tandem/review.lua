-- One review: its buffers, its view, the exchange of its text with Tandem, and the user's decision.

local client = require('tandem.client')
local context = require('tandem.context')
local decoration = require('tandem.decoration')
local names = require('tandem.names')
local safely = require('tandem.safely')
local sides = require('tandem.sides')
local text = require('tandem.text')
local view = require('tandem.view')

---What is typed is sent after this pause, in milliseconds.
local pause = 100

---@class tandem.Comment
---@field side "proposal"|"file"
---@field lines { first: integer, last: integer }|nil
---@field text string

---@class tandem.Shown the protocol's review
---@field id string
---@field agent string
---@field agentName string
---@field session string
---@field path string
---@field version integer
---@field original { kind: "text"|"missing"|"binary", text: string|nil, size: integer|nil }
---@field content string
---@field hunks { proposed: { start: integer, count: integer } }[]
---@field file "unchanged"|"merged"|"conflict"|"deleted"
---@field comments tandem.Comment[]
---@field concerns { kind: string, text: string }[] what is dangerous about its file
---@field warnings string[]
---@field isNewFile boolean

---@class tandem.Review
---@field id string
---@field shown tandem.Shown
---@field version integer the version that the text is based on
---@field left integer buffer
---@field right integer buffer
---@field view tandem.View|nil
---@field is_unsent boolean Tandem does not have the text yet
---@field sending integer edits that are not answered
---@field is_deciding boolean
---@field is_unloaded boolean the user unloaded a side since the view was opened
---@field is_quitting boolean
---@field has_refused boolean a write that the user did not type has been reported
---@field is_lost boolean Tandem ended and has not shown it again
---@field edited_at integer when the user changed the text last, in milliseconds
---@field is_ended boolean its agent does not expect an answer any more
---@field is_over boolean
---@field private timer uv_timer_t
---@field private is_applying boolean
---@field private on_over fun()
local Review = {}
Review.__index = Review

---@param shown tandem.Shown
---@param on_over fun()
---@return tandem.Review
function Review.new(shown, on_over)
  local self = setmetatable({
    id = shown.id,
    shown = shown,
    version = shown.version,
    sending = 0,
    is_unsent = false,
    is_deciding = false,
    is_unloaded = false,
    is_quitting = false,
    has_refused = false,
    is_lost = false,
    edited_at = -math.huge,
    is_ended = false,
    is_over = false,
    timer = assert(vim.uv.new_timer()),
    on_over = on_over,
  }, Review)
  sides.make(self)
  self:decorate()
  return self
end

---Whether Tandem has not confirmed all of the text.
---@return boolean
function Review:is_ahead()
  return self.is_unsent or self.sending > 0
end

---While Tandem cannot keep the text, it counts as modified: `:qa` asks. Otherwise it does not: `:wall` must not accept.
---@private
function Review:mark()
  vim.bo[self.right].modified = self.is_unsent and (self.is_lost or client.state ~= 'running')
end

---The file for the user, relative to the folder.
---@return string
function Review:file_name()
  return names.short(self.shown.path, client.workspace_folders())
end

---The line of its first change, 1-based.
---@return integer
function Review:first_line()
  local first = self.shown.hunks[1]
  return first and first.proposed.start + 1 or 1
end

---@param buffer integer
---@param content string
---@private
function Review:apply(buffer, content)
  -- An unloaded buffer would be loaded without the events that watch its text.
  vim.fn.bufload(buffer)
  self.is_applying = true
  safely.quietly(function()
    text.set(buffer, content)
  end)
  self.is_applying = false
end

---@private
---@return { id: string, version: integer, content: string }
function Review:take_edit()
  vim.fn.bufload(self.right)
  self.is_unsent = false
  self.shown.content = text.of(self.right)
  return { id = self.id, version = self.version, content = self.shown.content }
end

---Sends what the user typed.
function Review:flush()
  self.timer:stop()
  if client.state ~= 'running' or self.is_lost or self.is_over or not self.is_unsent then
    return
  end
  self.sending = self.sending + 1
  client.call('review/edit', self:take_edit(), function(problem)
    self.sending = math.max(self.sending - 1, 0)
    -- If it was refused, it is sent again with the next edit or decision.
    self.is_unsent = self.is_unsent or problem ~= nil
    self:leave()
  end)
end

---Whether Tandem may lack a part of what the user typed. Its journal has a text within a second.
---@return boolean
function Review:is_unsaved()
  return self:is_ahead() or vim.uv.now() - self.edited_at < 2000
end

---@private
function Review:watch_text()
  vim.api.nvim_buf_attach(self.right, false, {
    on_lines = function()
      if self.is_applying then
        return
      end
      self.is_unsent, self.edited_at = true, vim.uv.now()
      if self.is_over then
        return
      end
      if not self.is_ended then
        self.timer:start(
          pause,
          0,
          vim.schedule_wrap(function()
            self:flush()
          end)
        )
      end
      self:mark()
    end,
  })
end

---Commands that write only a modified buffer. The proposal never is, so that `:wall` does not accept it.
local writes_changes = { update = true, xit = true, exit = true, wq = true }

---The user is about to execute a command line.
---@param line string
function Review:command_typed(line)
  local is_parsed, command = pcall(vim.api.nvim_parse_cmd, line, {})
  if is_parsed and writes_changes[command.cmd] and #command.args == 0 and not self.is_deciding then
    vim.bo[self.right].modified = true
    vim.schedule(function()
      if not self.is_over and vim.api.nvim_buf_is_valid(self.right) then
        self:mark()
      end
    end)
  end
end

---Shows everything but the text of the right side.
function Review:decorate()
  vim.fn.bufload(self.right)
  self:mark()
  local original = self.shown.original
  local content = original.text or ''
  if original.kind == 'binary' then
    local note = 'This file is binary (%d bytes). The proposal replaces all of it.\n'
    content = note:format(original.size)
  end
  vim.bo[self.left].modifiable = true
  self:apply(self.left, content)
  vim.bo[self.left].modifiable = false
  decoration.show_comments(self)
  if view.is_open(self.view) then
    view.set_warnings(self.view, decoration.lines_above(self))
    view.refresh(self.view, decoration.titles(self))
  end
end

---Takes the review as Tandem has it now.
---@param shown tandem.Shown
function Review:update(shown)
  self.is_lost = false
  if self:is_ahead() then
    -- Tandem merges both texts and sends the result.
    self:flush()
    shown.content = self.shown.content
  else
    self:apply(self.right, shown.content)
    self.version = shown.version
  end
  self.shown = shown
  self:decorate()
end

---Tandem has ended: it shows the review again, or the text stays here.
function Review:lose()
  self.is_unsent = self:is_unsaved()
  self.is_lost, self.is_deciding, self.sending = true, false, 0
  self:decorate()
end

---Opens the view in the background, unless it is open.
function Review:open_view()
  if view.is_open(self.view) or self.is_deciding or self.is_over then
    return
  end
  if self.view then
    view.close(self.view)
  end
  sides.restore(self)
  -- After :bdelete. Without it, the windows would show an empty text.
  vim.fn.bufload(self.right)
  vim.fn.bufload(self.left)
  self.is_unloaded = false
  self.view =
    view.open_diff(self.left, self.right, decoration.titles(self), self.shown.original.kind == 'binary')
  view.set_warnings(self.view, decoration.lines_above(self))
  view.refresh(self.view, decoration.titles(self))
end

---Goes to the view.
function Review:enter()
  self:open_view()
  if self.view then
    view.enter(self.view, self:first_line())
  end
end

---@private
---@param problem table
function Review:refused(problem)
  self.is_deciding = false
  local code = problem.data and problem.data.code
  local way_out = code == 'conflict' and ' (:Tandem merge marks it, :Tandem! accept overrides)' or ''
  safely.say('Tandem: ' .. problem.message .. way_out, vim.log.levels.ERROR)
end

---@param overwrites boolean in spite of a conflict
function Review:accept(overwrites)
  self.timer:stop()
  -- Tandem has to know of unsaved changes.
  context.send()
  local is_edited = self.is_unsent
  local params = is_edited and self:take_edit() or { id = self.id, version = self.version }
  params.overwrites = overwrites
  self:send_acceptance(params, is_edited)
end

---Accepts, and asks what Tandem wants to know first.
---@private
---@param params table
---@param is_edited boolean whether they contain a text that Tandem does not have
function Review:send_acceptance(params, is_edited)
  self.is_deciding = true
  client.call('review/accept', params, function(problem)
    if not problem then
      -- After a merge it is still pending.
      self.is_deciding = not (params.answer and params.answer.merges)
      return
    end
    self.is_deciding = false
    local question = client.question_of(problem)
    if not question then
      self.is_unsent = self.is_unsent or is_edited
      self:refused(problem)
      return self:flush()
    end
    safely.confirm(question, 'Cancel', function(choice)
      if not self.is_over and not self.is_ended then
        self:send_acceptance(vim.tbl_extend('force', params, { answer = choice.answer }), is_edited)
      end
    end)
  end)
end

---@param words string feedback for the agent
function Review:reject(words)
  if words ~= '' or #self.shown.comments > 0 then
    return self:feedback(words, true)
  end
  self:flush()
  self:call('review/reject', { id = self.id })
end

---Does one of the actions that Tandem offers for this review.
---@param action string
function Review:run(action)
  if action == 'accept' then
    return self:accept(false)
  elseif action == 'reject' then
    return self:reject('')
  end
  self:flush()
  client.ask('review/run', { id = self.id, action = action }, function(result)
    if result.note then
      safely.notify(result.note)
    end
  end)
end

---Decides by a call.
---@private
---@param method string
---@param params table
function Review:call(method, params)
  self.is_deciding = true
  client.call(method, params, function(problem)
    if problem then
      self:refused(problem)
    end
  end)
end

---Sends the comments and a text to the agent; the user pastes what it cannot receive.
---@param words string
---@param rejects boolean
function Review:feedback(words, rejects)
  self:flush()
  self.is_deciding = rejects
  local params = { id = self.id, text = words ~= '' and words or nil, rejects = rejects }
  client.call('review/feedback', params, function(problem, result)
    if problem then
      return self:refused(problem)
    end
    if result.delivery == 'clipboard' then
      vim.fn.setreg('"', result.text)
      pcall(vim.fn.setreg, '+', result.text)
    end
    safely.notify(result.note)
  end)
end

---The user closed the view, maybe together with others.
---@param is_several boolean
function Review:view_closed(is_several)
  if self.view and vim.api.nvim_tabpage_is_valid(self.view.tab) then
    view.close(self.view)
  end
  self.view = nil
  self:flush()
  if self.is_deciding or self.is_ended or client.state ~= 'running' then
    return
  end
  if self.is_unloaded then
    -- `:bdelete` and `:bwipeout` often concern many buffers.
    local note = 'The proposal by %s for %s is still pending (:Tandem review)'
    return safely.notify(note:format(self.shown.agentName, self:file_name()))
  end
  client.call('review/close', { id = self.id, isSeveral = is_several }, function(problem, result)
    local question = client.question_of(problem)
    if question then
      safely.confirm(question, 'Cancel', function(choice)
        self:answer_closing(choice.kind)
      end)
    elseif problem then
      self:refused(problem)
    elseif result.note then
      safely.notify(result.note)
    end
  end)
end

---@private
---@param kind string
function Review:answer_closing(kind)
  if self.is_over or self.is_ended then
    return
  elseif kind == 'show' then
    self:enter()
  elseif kind == 'accept' then
    self:accept(false)
  elseif kind == 'reject' then
    self:call('review/reject', { id = self.id })
  end
end

---Whether the user is typing there: the next keys would be commands in another window.
---@private
---@return boolean
function Review:is_typed_in()
  return vim.api.nvim_get_current_buf() == self.right
    and vim.api.nvim_get_mode().mode:find('^[iRsS\19]') ~= nil
end

---The review has ended elsewhere. While the user types, the view stays.
function Review:finish()
  self.is_ended = true
  if self:is_typed_in() then
    -- Tandem takes one text that is late.
    self.timer:stop()
    return self:decorate()
  end
  self:flush()
  self:leave()
end

---@private
function Review:leave()
  if not self.is_ended or self.is_over or self.sending > 0 or self:is_typed_in() then
    return
  end
  self:dispose()
  client.call('review/list', nil, function(_, result)
    for _, each in ipairs(result and result.interrupted or {}) do
      if each.path == self.shown.path and each.session == self.shown.session then
        local note = ('%s: %s (:Tandem interrupted)'):format(self:file_name(), each['end'].text)
        return safely.notify(note, vim.log.levels.WARN)
      end
    end
  end)
end

---Ends the review here: the view goes. Text that Tandem does not have stays in a buffer.
function Review:dispose()
  if self.is_over then
    return
  end
  self.is_over, self.is_deciding = true, true
  self.timer:stop()
  self.timer:close()
  self.on_over()
  safely.run(function()
    if self.view then
      view.close(self.view)
    end
    pcall(vim.api.nvim_buf_delete, self.left, { force = true })
    if not vim.api.nvim_buf_is_valid(self.right) then
      return
    elseif not self.is_unsent then
      return vim.api.nvim_buf_delete(self.right, { force = true })
    end
    vim.api.nvim_clear_autocmds({ buffer = self.right })
    vim.bo[self.right].buftype = ''
    vim.bo[self.right].buflisted = true
    text.set_name(self.right, 'kept', self.shown)
    vim.bo[self.right].modified = true
    local note = 'Your last edits to %s are in a separate buffer (:ls)'
    safely.notify(note:format(self:file_name()), vim.log.levels.WARN)
  end)
end

return Review
