-- Neovim in the bench: does what a line from the socket in $BENCH_SOCKET names, and reports with lines of JSON.

vim.opt.runtimepath:prepend(vim.env.BENCH_PLUGIN)
vim.opt.swapfile = false
vim.opt.shada = ''
require('tandem').setup({ command = vim.json.decode(vim.env.BENCH_COMMAND), notify = false })

local socket = assert(vim.uv.new_pipe())

local function report(event, value)
  vim.cmd.redraw()
  socket:write(vim.json.encode({ event = event, value = value }) .. '\n')
end

local actions = {
  -- A file with the focus, and the cursor where no text is selected.
  begin = function()
    vim.cmd('normal! \x1b')
    vim.cmd('silent tabfirst | buffer a.ts')
    vim.api.nvim_win_set_cursor(0, { 300, 0 })
    report('began')
  end,
  accept = function()
    vim.cmd.write()
  end,
  open = function()
    for _, path in ipairs(vim.fn.glob('*.ts', true, true)) do
      vim.cmd('silent edit ' .. path)
    end
    report('opened', #vim.api.nvim_list_bufs())
  end,
  -- A diff without Tandem: the same texts, the same highlighting.
  native = function()
    local lines = vim.fn.readfile('a.ts')
    local started = vim.uv.hrtime()
    for _, command in ipairs({ '$tabnew', 'vnew' }) do
      vim.cmd(command)
      vim.bo.buftype, vim.bo.bufhidden = 'nofile', 'wipe'
      vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
      vim.bo.syntax = 'typescript'
      vim.cmd.diffthis()
      for _, share in ipairs({ 0.1, 0.5, 0.9 }) do
        local at = math.floor(#lines * share) + 1
        lines[at] = lines[at] .. ' // changed'
      end
    end
    vim.cmd.redraw()
    local taken = vim.uv.hrtime() - started
    vim.cmd.tabclose()
    report('native', taken / 1e6)
  end,
  snapshot = function()
    vim.cmd('silent buffer a.ts')
    vim.cmd('normal! \x1b300GVgg')
    local started = vim.uv.hrtime()
    require('tandem.context').send()
    local taken = vim.uv.hrtime() - started
    vim.cmd('normal! \x1b')
    report('snapshot', taken / 1e6)
  end,
}

vim.api.nvim_create_autocmd('User', {
  pattern = 'TandemReviewOpened',
  callback = function(event)
    require('tandem.reviews').find(event.data.id):enter()
    report('shown')
  end,
})
vim.api.nvim_create_autocmd('User', {
  pattern = 'TandemReviewDecided',
  callback = function()
    report('closed')
  end,
})
vim.api.nvim_create_autocmd('User', {
  pattern = 'TandemStarted',
  once = true,
  callback = function()
    report('ready', { port = tonumber(vim.env.TANDEM_PORT), pid = vim.fn.getpid() })
  end,
})

socket:connect(vim.env.BENCH_SOCKET, function()
  socket:read_start(function(_, text)
    for name in (text or ''):gmatch('%a+') do
      vim.schedule(actions[name])
    end
  end)
end)
