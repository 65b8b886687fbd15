-- The configuration of a user in the tests with a real terminal: the plugin, and the state of Neovim in its
-- status line.

vim.opt.runtimepath:prepend(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h'))
vim.opt.swapfile = false
vim.opt.shada = ''
-- Messages must not ask for a key, and a pending key must not wait.
vim.opt.timeout = false
vim.g.decided = ''
vim.g.test = 0

require('tandem').setup({ command = vim.json.decode(vim.env.TANDEM_EDITOR_COMMAND) })

---The events of the plugin.
_G.events = {}

vim.api.nvim_create_autocmd('User', {
  pattern = 'Tandem*',
  callback = function(event)
    table.insert(_G.events, { name = event.match, data = event.data })
    if event.match == 'TandemReviewDecided' then
      vim.g.decided = vim.g.decided .. event.data.outcome:sub(1, 1)
    end
    vim.cmd.redrawstatus()
  end,
})

---What tests wait for: whether Tandem runs, the pending reviews, the tab pages and the outcomes.
function _G.probe()
  local client, reviews = require('tandem.client'), require('tandem.reviews')
  local tabs = ('%d/%d'):format(vim.fn.tabpagenr(), vim.fn.tabpagenr('$'))
  return ('<test=%d %s reviews=%d tabs=%s decided=%s>'):format(
    vim.g.test,
    client.state,
    #reviews.all,
    tabs,
    vim.g.decided
  )
end

---The files of the pending reviews.
function _G.pending()
  return vim.tbl_map(function(review)
    return review.shown.path
  end, require('tandem.reviews').all)
end

---How each side of the only review is highlighted: by a parser or by the rules of a language.
function _G.languages()
  local review = require('tandem.reviews').all[1]
  return vim.tbl_map(function(buffer)
    local highlighter = vim.treesitter.highlighter.active[buffer]
    return highlighter and 'parser ' .. highlighter.tree:lang() or vim.bo[buffer].syntax
  end, { review.left, review.right })
end

---The agents that are connected.
function _G.connected()
  local status = require('tandem.client').status
  return vim.iter(status and status.agents or {}):fold({}, function(ids, agent)
    return agent.sessions > 0 and vim.list_extend(ids, { agent.id }) or ids
  end)
end

---What a review must not change.
function _G.situation()
  return {
    mode = vim.fn.mode(1),
    window = vim.api.nvim_get_current_win(),
    buffer = vim.api.nvim_get_current_buf(),
    tab = vim.api.nvim_get_current_tabpage(),
    layout = vim.fn.winlayout(),
    previous = vim.fn.winnr('#'),
    cursor = vim.fn.getcurpos(),
    anchor = vim.fn.getpos('v'),
    command_line = vim.fn.getcmdline(),
    widths = vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_tabpage_list_wins(0)),
  }
end

vim.o.laststatus = 3
vim.o.statusline = '%{v:lua.probe()} %{mode(1)}'
