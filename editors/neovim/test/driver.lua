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
local reviews = require('tandem.review')
local requests = client.requests

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
  'close',
  'setTrusted',
  'setDiagnostics',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
}

requests['test/workspace'] = function(params, reply)
  folder = params.folder
  config.current.trusted = true
  for _, review in ipairs(vim.list_slice(reviews.all)) do
    review:dispose(false)
  end
  vim.cmd('silent! %bwipeout!')
  client.workspace_changed(function()
    context.send()
    reply(nil)
  end)
end

---Presses keys as a user does; they have been processed when Neovim reads the next message.
local function press(keys)
  vim.api.nvim_input(vim.api.nvim_replace_termcodes(keys, true, true, true))
end

requests['test/focus'] = function(params, reply)
  press('<C-\\><C-n>')
  vim.cmd.edit({ args = { params.path }, magic = { file = false, bar = false } })
  reply(nil)
end

requests['test/select'] = function(params, reply)
  local buffer = context.buffer_of(params.path)
  local first, first_byte = position.clamp(buffer, params.range.start)
  local last, last_byte = position.clamp(buffer, params.range['end'])
  vim.api.nvim_buf_set_mark(buffer, 'a', first + 1, first_byte, {})
  vim.api.nvim_buf_set_mark(buffer, 'b', last + 1, math.max(last_byte - 1, 0), {})
  press('<C-\\><C-n>`av`b')
  reply(nil)
end

requests['test/type'] = function(params, reply)
  local buffer = context.buffer_of(params.path)
  local lines = vim.split((params.text:gsub('\n$', '')), '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  reply(nil)
end

requests['test/close'] = function(params, reply)
  vim.api.nvim_buf_delete(context.buffer_of(params.path), {})
  reply(nil)
end

requests['test/setTrusted'] = function(params, reply)
  config.current.trusted = params.isTrusted
  client.workspace_changed(function()
    reply(nil)
  end)
end

requests['test/setDiagnostics'] = function(params, reply)
  local buffer = context.buffer_of(params.path)
  vim.diagnostic.set(
    namespace,
    buffer,
    vim.tbl_map(function(each)
      local line, byte = position.clamp(buffer, each.range.start)
      local end_line, end_byte = position.clamp(buffer, each.range['end'])
      return {
        lnum = line,
        col = byte,
        end_lnum = end_line,
        end_col = end_byte,
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
  reply(nil)
end

requests['test/reviewsInView'] = function(_, reply)
  local ids = {}
  for _, review in ipairs(reviews.all) do
    if require('tandem.view').is_open(review.view) then
      ids[#ids + 1] = review.id
    end
  end
  reply(ids)
end

requests['test/edit'] = function(params, reply)
  local review = assert(reviews.find(params.id))
  local ends_line = params.text:sub(-1) == '\n'
  local text = ends_line and params.text:sub(1, -2) or params.text
  vim.api.nvim_buf_set_lines(review.right, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[review.right].endofline = ends_line
  reply(nil)
end

requests['test/accept'] = function(params, reply)
  local review = assert(reviews.find(params.id))
  vim.api.nvim_buf_call(review.right, function()
    vim.cmd.write()
  end)
  reply(nil)
end

requests['test/reject'] = function(params, reply)
  assert(reviews.find(params.id)):reject()
  reply(nil)
end

requests.shutdown = function(_, reply)
  reply(nil)
  vim.schedule(vim.cmd.quitall)
end

require('tandem').start()
