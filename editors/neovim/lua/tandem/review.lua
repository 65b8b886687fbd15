-- One review: its buffers, its view and the exchange of its text with Tandem.

local client = require('tandem.client')
local config = require('tandem.config')
local safely = require('tandem.safely')
local view = require('tandem.view')

---What is typed is sent after this pause, in milliseconds.
local pause = 100
local comments_namespace = vim.api.nvim_create_namespace('tandem_comments')

---@class tandem.Comment
---@field id string
---@field side "proposal"|"file"
---@field lines { first: integer, last: integer }|nil
---@field text string

---@class tandem.Shown the protocol's review
---@field id string
---@field agent string
---@field agentName string
---@field path string
---@field version integer
---@field original { kind: "text"|"missing"|"binary", text: string|nil, size: integer|nil }
---@field content string
---@field hunks { proposed: { start: integer, count: integer } }[]
---@field file "unchanged"|"merged"|"conflict"|"deleted"
---@field comments tandem.Comment[]
---@field warnings string[]

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
---@field is_lost boolean Tandem ended and has not shown it again
---@field edited_at integer|nil when the user changed the text last, in milliseconds
---@field is_over boolean|nil
---@field private timer uv_timer_t
---@field private is_applying boolean
local Review = {}
Review.__index = Review

local M = {
  ---@type tandem.Review[] the oldest first
  all = {},
}

---@param text string
---@return string[] lines, boolean ends_line
local function to_lines(text)
  local ends_line = text:sub(-1) == '\n'
  local lines = vim.split(ends_line and text:sub(1, -2) or text, '\n', { plain = true })
  return lines, ends_line
end

---Replaces only the lines that differ, so that the cursor and the marks stay.
---@param buffer integer
---@param text string
local function set_text(buffer, text)
  local lines, ends_line = to_lines(text)
  local before = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local function joined(list)
    return table.concat(list, '\n') .. '\n'
  end
  local changes = vim.diff(joined(before), joined(lines), { result_type = 'indices' })
  ---@cast changes integer[][]
  for at = #changes, 1, -1 do
    local start, count, other, others = unpack(changes[at])
    local from = count == 0 and start or start - 1
    local replacement = vim.list_slice(lines, other, other + others - 1)
    vim.api.nvim_buf_set_lines(buffer, from, from + count, false, others == 0 and {} or replacement)
  end
  vim.bo[buffer].endofline = ends_line
  vim.bo[buffer].modified = false
end

---@param buffer integer
---@param path string
local function highlight(buffer, path)
  local filetype = vim.filetype.match({ filename = path, buf = buffer })
  if filetype == nil then
    return
  end
  local language = vim.treesitter.language.get_lang(filetype)
  if not language or not pcall(vim.treesitter.start, buffer, language) then
    -- Not 'filetype': its plugins would attach language servers to the proposal.
    pcall(vim.api.nvim_set_option_value, 'syntax', filetype, { buf = buffer })
  end
end

---@param name string
---@param kind "nofile"|"acwrite"
---@return integer
local function new_buffer(name, kind)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].buftype = kind
  vim.bo[buffer].fixendofline = false
  vim.bo[buffer].bufhidden = 'hide'
  vim.api.nvim_buf_set_name(buffer, name)
  return buffer
end

---@return string
function Review:file_name()
  return vim.fn.fnamemodify(self.shown.path, ':t')
end

---@return string
function Review:text()
  local lines = vim.api.nvim_buf_get_lines(self.right, 0, -1, false)
  return table.concat(lines, '\n') .. (vim.bo[self.right].endofline and '\n' or '')
end

---@param buffer integer
---@param text string
---@private
function Review:apply(buffer, text)
  self.is_applying = true
  safely.quietly(function()
    set_text(buffer, text)
  end)
  self.is_applying = false
end

---@private
---@return { id: string, version: integer, content: string }
function Review:take_edit()
  self.is_unsent = false
  self.shown.content = self:text()
  return { id = self.id, version = self.version, content = self.shown.content }
end

---Sends what the user typed.
function Review:flush()
  self.timer:stop()
  if client.state ~= 'running' or self.is_lost or not self.is_unsent then
    return
  end
  self.sending = self.sending + 1
  client.call('review/edit', self:take_edit(), function(problem)
    self.sending = math.max(self.sending - 1, 0)
    -- If it was refused, it is sent again with the next edit or decision.
    self.is_unsent = self.is_unsent or problem ~= nil
  end)
end

---@private
function Review:watch_text()
  vim.api.nvim_buf_attach(self.right, false, {
    on_lines = function()
      if self.is_applying or self.is_over then
        return
      end
      self.is_unsent = true
      self.edited_at = vim.uv.now()
      self.timer:start(
        pause,
        0,
        vim.schedule_wrap(function()
          self:flush()
        end)
      )
      -- Tandem's journal has the text, so `:qa` may leave it; and `:wall` must not accept it.
      vim.bo[self.right].modified = false
    end,
  })
end

---@private
function Review:watch_buffer()
  self:watch_text()
  local function on(event, callback)
    vim.api.nvim_create_autocmd(event, { buffer = self.right, callback = callback })
  end
  on('BufWriteCmd', function()
    vim.bo[self.right].modified = false
    self:accept({ overwrites = vim.v.cmdbang == 1 })
  end)
  -- `:edit`, or the view of an unloaded buffer: both have ended the watching of its text.
  on('BufReadCmd', function()
    self:apply(self.right, self.shown.content)
    self:watch_text()
  end)
  on('BufWinEnter', function()
    self:entered_elsewhere(vim.api.nvim_get_current_win())
  end)
  on('BufUnload', function()
    self:flush()
  end)
  on('BufWipeout', function()
    vim.schedule(function()
      self:dispose(false)
    end)
  end)
end

---Another window shows the right side, for example from the quickfix list: show the whole view instead.
---@private
---@param window integer
function Review:entered_elsewhere(window)
  if self.is_deciding or (self.view and self.view.right == window) then
    return
  end
  vim.schedule(function()
    if not vim.api.nvim_win_is_valid(window) or vim.api.nvim_win_get_buf(window) ~= self.right then
      return
    end
    local alternate = vim.api.nvim_win_call(window, function()
      return vim.fn.bufnr('#')
    end)
    if alternate > 0 and alternate ~= self.right and vim.api.nvim_buf_is_loaded(alternate) then
      vim.api.nvim_win_set_buf(window, alternate)
      self:enter()
    end
  end)
end

---@return { left: string, right: string }
function Review:titles()
  local shown = self.shown
  local name = view.escape(self:file_name())
  local lefts = { missing = ' new file', binary = ' not text' }
  local parts = { (' %s proposes %s'):format(view.escape(shown.agentName), name) }
  if self.is_lost then
    parts[1] = (' %s: Tandem has ended'):format(name)
  elseif shown.file == 'conflict' then
    parts[#parts + 1] = '%#ErrorMsg# conflict: :Tandem merge %*'
  end
  if #shown.warnings > 0 then
    parts[#parts + 1] = '%<%#WarningMsg#' .. view.escape(table.concat(shown.warnings, ' ')) .. '%*'
  else
    parts[#parts + 1] = ':w accepts, :Tandem reject'
  end
  return { left = lefts[shown.original.kind] or (' %s now'):format(name), right = table.concat(parts, ' · ') }
end

---@private
function Review:show_comments()
  for _, buffer in ipairs({ self.left, self.right }) do
    vim.api.nvim_buf_clear_namespace(buffer, comments_namespace, 0, -1)
  end
  for _, comment in ipairs(self.shown.comments) do
    local buffer = comment.side == 'file' and self.left or self.right
    local line = math.min(comment.lines and comment.lines.last or 0, vim.api.nvim_buf_line_count(buffer) - 1)
    local rows = vim.tbl_map(function(row)
      return { { '  ┃ ' .. row, 'DiagnosticInfo' } }
    end, vim.split(comment.text, '\n', { plain = true }))
    vim.api.nvim_buf_set_extmark(buffer, comments_namespace, line, 0, {
      virt_lines = rows,
      virt_lines_above = comment.lines == nil,
    })
  end
end

---Shows everything but the text of the right side.
---@private
function Review:decorate()
  local original = self.shown.original
  local text = original.text or ''
  if original.kind == 'binary' then
    text = ('This file is not UTF-8 text (%d bytes). The proposal replaces all of it.\n'):format(
      original.size
    )
  end
  vim.bo[self.left].modifiable = true
  self:apply(self.left, text)
  vim.bo[self.left].modifiable = false
  self:show_comments()
  if view.is_open(self.view) then
    local titles = self:titles()
    view.set_title(self.view.left, titles.left)
    view.set_title(self.view.right, titles.right)
    for _, window in ipairs({ self.view.left, self.view.right }) do
      vim.api.nvim_win_call(window, function()
        if vim.wo.diff then
          vim.cmd.diffupdate()
        end
      end)
    end
  end
end

---Takes the review as Tandem has it now.
---@param shown tandem.Shown
function Review:update(shown)
  self.shown = shown
  self.is_lost = false
  if self.is_unsent or self.sending > 0 then
    -- Tandem merges both texts and sends the result.
    self:flush()
  else
    self:apply(self.right, shown.content)
    self.version = shown.version
  end
  self:decorate()
end

---Opens the view in the background, unless it is open.
function Review:open_view()
  if view.is_open(self.view) or self.is_deciding then
    return
  end
  -- After :bdelete. Without it, the window would show an empty text.
  vim.fn.bufload(self.right)
  self.view = view.open_diff(self.left, self.right, self:titles(), self.shown.original.kind == 'binary')
end

---Goes to the view.
function Review:enter()
  if not view.is_open(self.view) then
    if self.view then
      view.close(self.view)
    end
    self.view = nil
    self:open_view()
  end
  local first = self.shown.hunks[1]
  view.enter(self.view, first and first.proposed.start + 1)
end

---@private
---@param problem table
function Review:refused(problem)
  self.is_deciding = false
  local code = problem.data and problem.data.code
  local way_out = code == 'conflict' and ' (:Tandem merge marks it, :Tandem! accept overrides)' or ''
  vim.notify('Tandem: ' .. client.reason(problem) .. way_out, vim.log.levels.ERROR)
end

---@param options { overwrites: boolean|nil }|nil
function Review:accept(options)
  self.timer:stop()
  local is_edited = self.is_unsent
  local params = is_edited and self:take_edit() or { id = self.id, version = self.version }
  params.overwrites = options and options.overwrites or nil
  self.is_deciding = true
  client.call('review/accept', params, function(problem)
    if problem then
      self.is_unsent = self.is_unsent or is_edited
      self:refused(problem)
      self:flush()
    end
  end)
end

---@param text string|nil feedback for the agent
function Review:reject(text)
  self:flush()
  self.is_deciding = true
  if text == nil and #self.shown.comments == 0 then
    client.call('review/reject', { id = self.id }, function(problem)
      if problem then
        self:refused(problem)
      end
    end)
  else
    self:feedback(text, true)
  end
end

---Puts the comments and a text into the agent's prompt.
---@param text string|nil
---@param rejects boolean
function Review:feedback(text, rejects)
  local params = { id = self.id, text = text, rejects = rejects }
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

---The user closed a window of the view.
---@private
function Review:view_closed()
  local old = self.view
  self.view = nil
  if old and vim.api.nvim_tabpage_is_valid(old.tab) then
    view.close(old)
  end
  self:flush()
  if self.is_deciding or client.state ~= 'running' then
    return
  end
  client.notify('review/close', { id = self.id })
  if config.current.on_close == 'reject' then
    self:reject()
  elseif config.current.on_close == 'ask' then
    local choices = { 'Keep it pending', 'Reject it' }
    vim.ui.select(choices, { prompt = self:file_name() .. ':' }, function(_, choice)
      if choice == 2 then
        self:reject()
      end
    end)
  end
end

---Ends the review here: the view goes. Text that Tandem does not have stays in a buffer.
---@param keeps_text boolean
function Review:dispose(keeps_text)
  if self.is_over then
    return
  end
  self.is_over = true
  self.timer:stop()
  self.timer:close()
  self.is_deciding = true
  M.all = vim.tbl_filter(function(each)
    return each ~= self
  end, M.all)
  safely.run(function()
    if self.view then
      view.close(self.view)
    end
    pcall(vim.api.nvim_buf_delete, self.left, { force = true })
    if not vim.api.nvim_buf_is_valid(self.right) then
      return
    elseif not keeps_text then
      return vim.api.nvim_buf_delete(self.right, { force = true })
    end
    vim.api.nvim_clear_autocmds({ buffer = self.right })
    vim.bo[self.right].buftype = ''
    vim.bo[self.right].buflisted = true
    vim.api.nvim_buf_set_name(self.right, ('tandem://kept/%s/%s'):format(self.id, self:file_name()))
    vim.bo[self.right].modified = true
    safely.notify(
      'Your last edits of ' .. self:file_name() .. ' are in a buffer of their own',
      vim.log.levels.WARN
    )
  end)
end

---@param id string
---@return tandem.Review|nil
function M.find(id)
  for _, each in ipairs(M.all) do
    if each.id == id then
      return each
    end
  end
end

---The review whose buffer this is.
---@param buffer integer
---@return tandem.Review|nil
function M.of_buffer(buffer)
  for _, each in ipairs(M.all) do
    if each.left == buffer or each.right == buffer then
      return each
    end
  end
end

---@param shown tandem.Shown
---@return tandem.Review
local function add(shown)
  local tail = ('%s/%s'):format(shown.id, vim.fn.fnamemodify(shown.path, ':t'))
  local self = setmetatable({
    id = shown.id,
    shown = shown,
    version = shown.version,
    left = new_buffer('tandem://file/' .. tail, 'nofile'),
    right = new_buffer('tandem://proposal/' .. tail, 'acwrite'),
    sending = 0,
    is_deciding = false,
    is_lost = false,
    is_unsent = false,
    timer = assert(vim.uv.new_timer()),
  }, Review)
  -- The text itself cannot be undone.
  vim.bo[self.right].undolevels = -1
  self:apply(self.right, shown.content)
  vim.bo[self.right].undolevels = vim.go.undolevels
  self:decorate()
  for _, buffer in ipairs({ self.left, self.right }) do
    if shown.original.kind ~= 'binary' or buffer == self.right then
      highlight(buffer, shown.path)
    end
  end
  self:watch_buffer()
  M.all[#M.all + 1] = self
  return self
end

client.requests['review/show'] = function(params, reply)
  local review = M.find(params.review.id)
  local is_new = review == nil
  if review then
    review:update(params.review)
  else
    review = add(params.review)
  end
  reply(nil)
  safely.run(function()
    if M.find(review.id) == review and config.current.open_view then
      review:open_view()
    end
  end)
  if is_new then
    local name = ('%s proposes a change to %s'):format(params.review.agentName, review:file_name())
    if config.current.notify then
      safely.notify(name .. ' (:Tandem review)')
    end
    client.emit('ReviewOpened', { id = review.id, path = params.review.path, agent = params.review.agent })
  end
end

client.notifications['review/changed'] = function(params)
  local review = M.find(params.review.id)
  if review then
    review:update(params.review)
  end
end

client.notifications['review/close'] = function(params)
  local review = M.find(params.id)
  if review then
    local is_typing = review.is_unsent or review.sending > 0
    review:dispose(params.outcome == 'withdrawn' and is_typing)
    client.emit('ReviewDecided', { id = params.id, path = review.shown.path, outcome = params.outcome })
  end
end

client.on_end[#client.on_end + 1] = function()
  for _, review in ipairs(M.all) do
    -- Tandem's journal has a text within a second.
    local is_recent = review.edited_at ~= nil and vim.uv.now() - review.edited_at < 2000
    review.is_unsent = review.is_unsent or is_recent
    review.is_lost, review.is_deciding, review.sending = true, false, 0
    review:decorate()
  end
end

-- Tandem shows the reviews again that it restored; the others have ended.
client.on_ready[#client.on_ready + 1] = function()
  client.call('review/list', nil, function(problem, result)
    local pending = {}
    for _, each in ipairs(result and result.reviews or {}) do
      pending[each.id] = true
    end
    for _, review in ipairs(vim.list_slice(M.all)) do
      if not problem and review.is_lost and not pending[review.id] then
        review:dispose(review.is_unsent)
      end
    end
    if not problem and #result.interrupted > 0 then
      local count = #result.interrupted
      local noun = count == 1 and 'review' or 'reviews'
      safely.notify(('%d interrupted %s (:Tandem interrupted)'):format(count, noun), vim.log.levels.WARN)
    end
  end)
end

---Sends all typed text and waits until Tandem has it, at most a second.
local function leave()
  for _, review in ipairs(M.all) do
    review:flush()
  end
  vim.wait(1000, function()
    return vim.iter(M.all):all(function(review)
      return review.sending == 0
    end)
  end, 5)
end

---@param group integer
function M.watch(group)
  vim.api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = function(event)
      local window = tonumber(event.match)
      for _, review in ipairs(M.all) do
        if review.view and (review.view.right == window or review.view.left == window) then
          vim.schedule(function()
            if vim.v.exiting == vim.NIL and not view.is_open(review.view) then
              review:view_closed()
            end
          end)
        end
      end
    end,
  })
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = group,
    callback = function()
      leave()
      client.stop()
    end,
  })
end

return M
