-- Plays the user for `tandem editor --check`. Neovim runs it as its configuration; the environment variable
-- TANDEM_EDITOR_COMMAND has the plugin's command.

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
vim.opt.runtimepath:prepend(root)
vim.opt.swapfile = false
vim.opt.shada = ''

local client = require('tandem.client')
local config = require('tandem.config')
local context = require('tandem.context')
local position = require('tandem.position')
local reviews = require('tandem.reviews')
local requests = client.handlers

local folder = vim.uv.fs_realpath(vim.fn.getcwd())
local namespace = vim.api.nvim_create_namespace('test')

require('tandem').setup({
  command = vim.json.decode(vim.env.TANDEM_EDITOR_COMMAND),
  workspace_folders = function()
    return { folder }
  end,
})

client.test_actions = {
  'focus',
  'select',
  'type',
  'save',
  'close',
  'setTrusted',
  'setDiagnostics',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
}

requests['test/workspace'] = function(params)
  folder = params.folder
  config.current.trusted = true
  for _, review in ipairs(vim.list_slice(reviews.all)) do
    review:dispose()
  end
  vim.cmd('silent! %bwipeout!')
  client.workspace_changed()
  context.send()
end

---Presses keys as a user does; they have been processed when Neovim reads the next message.
local function press(keys)
  vim.api.nvim_input(vim.api.nvim_replace_termcodes(keys, true, true, true))
end

requests['test/focus'] = function(params)
  press('<C-\\><C-n>')
  vim.cmd.edit({ args = { params.path }, magic = { file = false, bar = false } })
end

requests['test/select'] = function(params)
  local buffer = context.buffer_of(params.path)
  local first = position.place(buffer, params.range.start)
  local last = position.place(buffer, params.range['end'])
  vim.api.nvim_buf_set_mark(buffer, 'a', first[1] + 1, first[2], {})
  vim.api.nvim_buf_set_mark(buffer, 'b', last[1] + 1, math.max(last[2] - 1, 0), {})
  press('<C-\\><C-n>`av`b')
end

requests['test/type'] = function(params)
  local buffer = context.buffer_of(params.path)
  local lines = vim.split((params.text:gsub('\n$', '')), '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
end

requests['test/save'] = function(params)
  vim.api.nvim_buf_call(context.buffer_of(params.path), vim.cmd.write)
end

requests['test/close'] = function(params)
  vim.api.nvim_buf_delete(context.buffer_of(params.path), {})
end

requests['test/setTrusted'] = function(params)
  config.current.trusted = params.isTrusted
  client.workspace_changed()
end

requests['test/setDiagnostics'] = function(params)
  local buffer = context.buffer_of(params.path)
  vim.diagnostic.set(
    namespace,
    buffer,
    vim.tbl_map(function(each)
      local first = position.place(buffer, each.range.start)
      local last = position.place(buffer, each.range['end'])
      return {
        lnum = first[1],
        col = first[2],
        end_lnum = last[1],
        end_col = last[2],
        message = each.message,
        severity = vim.diagnostic.severity[({
          error = 'ERROR',
          warning = 'WARN',
          info = 'INFO',
          hint = 'HINT',
        })[each.severity]],
        source = each.source,
        code = each.code,
      }
    end, params.diagnostics)
  )
end

requests['test/reviewsInView'] = function()
  local ids = {}
  for _, review in ipairs(reviews.all) do
    if require('tandem.view').is_open(review.view) then
      ids[#ids + 1] = review.id
    end
  end
  return ids
end

requests['test/edit'] = function(params)
  local review = assert(reviews.find(params.id))
  local ends_line = params.text:sub(-1) == '\n'
  local text = ends_line and params.text:sub(1, -2) or params.text
  vim.api.nvim_buf_set_lines(review.right, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[review.right].endofline = ends_line
end

requests['test/accept'] = function(params)
  assert(reviews.find(params.id)):enter()
  press('<C-\\><C-n>:write<CR>')
end

requests['test/reject'] = function(params)
  assert(reviews.find(params.id)):reject('')
end

requests.shutdown = function()
  vim.schedule(vim.cmd.quitall)
end

require('tandem').start()
