if vim.g.loaded_tandem or vim.fn.has('nvim-0.10') == 0 then
  return
end
vim.g.loaded_tandem = true

vim.api.nvim_create_user_command('Tandem', function(options)
  require('tandem.commands').run(options)
end, {
  bang = true,
  range = true,
  nargs = '*',
  desc = 'Coding agents: reviews, context, terminals',
  complete = function(...)
    return require('tandem.commands').complete(...)
  end,
})

local mapped =
  { 'review', 'next', 'prev', 'list', 'accept', 'reject', 'accept-session', 'reject-session', 'merge' }
vim.list_extend(mapped, { 'changes', 'next-change', 'prev-change', 'show-change', 'redo' })
local with_range = { comment = true, mention = true, keep = true, undo = true }
for _, name in ipairs(vim.list_extend(mapped, vim.tbl_keys(with_range))) do
  local plug = ('<Plug>(tandem-%s)'):format(name)
  vim.keymap.set('n', plug, ('<Cmd>Tandem %s<CR>'):format(name))
  if with_range[name] then
    vim.keymap.set('x', plug, (':Tandem %s<CR>'):format(name))
  end
end

-- Notes the current folder, before 'autochdir' changes it.
require('tandem.config')

local start = vim.schedule_wrap(function()
  if require('tandem.config').current.auto_start then
    require('tandem').start()
  end
end)

-- A user interface comes after VimEnter, or much later.
if vim.v.vim_did_enter == 1 and #vim.api.nvim_list_uis() > 0 then
  start()
else
  vim.api.nvim_create_autocmd('UIEnter', { once = true, callback = start })
end
