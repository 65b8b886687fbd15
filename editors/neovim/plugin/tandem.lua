if vim.g.loaded_tandem or vim.fn.has('nvim-0.10') == 0 then
  return
end
vim.g.loaded_tandem = true

vim.api.nvim_create_user_command('Tandem', function(options)
  local commands = require('tandem.commands')
  commands.run(options)
end, {
  bang = true,
  range = true,
  nargs = '*',
  desc = 'Coding agents: reviews, context, terminals',
  complete = function(...)
    return require('tandem.commands').complete(...)
  end,
})

for _, name in ipairs({ 'review', 'accept', 'reject', 'next', 'prev', 'list', 'comment', 'mention', 'merge' }) do
  local plug = '<Plug>(tandem-' .. name .. ')'
  vim.keymap.set('n', plug, '<Cmd>Tandem ' .. name .. '<CR>', { desc = 'Tandem: ' .. name })
  if name == 'comment' or name == 'mention' then
    vim.keymap.set('x', plug, ':Tandem ' .. name .. '<CR>', { desc = 'Tandem: ' .. name .. ' the selection' })
  end
end

local function start()
  if #vim.api.nvim_list_uis() > 0 and require('tandem.config').current.auto_start then
    require('tandem').start()
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(start)
else
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = vim.schedule_wrap(start) })
end
