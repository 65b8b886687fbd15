/** What a key does. */
export type KeyCommand =
  | 'down'
  | 'up'
  | 'pageDown'
  | 'pageUp'
  | 'top'
  | 'bottom'
  | 'left'
  | 'right'
  | 'nextChange'
  | 'previousChange'
  | 'nextReview'
  | 'previousReview'
  | 'focus'
  | 'open'
  | 'layout'
  | 'toggle'
  | 'accept'
  | 'reject'
  | 'actions'
  | 'acceptSession'
  | 'rejectSession'
  | 'edit'
  | 'diffTool'
  | 'comment'
  | 'feedback'
  | 'undo'
  | 'search'
  | 'help'
  | 'escape'
  | 'suspend'
  | 'quit';

interface KeyBinding {
  readonly command: KeyCommand;
  /** Names of keys, as an `Input` has them. */
  readonly keys: readonly string[];
  /** As the help shows them. */
  readonly shown: string;
  readonly label: string;
}

/** The keys of the view, in the order of the help. What an action is called, the desk says. */
export const keyCommands: readonly KeyBinding[] = [
  { command: 'down', keys: ['j', 'down'], shown: 'j ↓', label: 'down' },
  { command: 'up', keys: ['k', 'up'], shown: 'k ↑', label: 'up' },
  { command: 'nextChange', keys: ['n'], shown: 'n', label: 'next change, or match of a search' },
  { command: 'previousChange', keys: ['p'], shown: 'p', label: 'previous change, or match' },
  { command: 'nextReview', keys: [']'], shown: ']', label: 'next review' },
  { command: 'previousReview', keys: ['['], shown: '[', label: 'previous review' },
  { command: 'toggle', keys: [' '], shown: 'space', label: 'drop or keep the change at the cursor' },
  { command: 'accept', keys: ['a'], shown: 'a', label: 'accept this review; apply an interrupted one' },
  { command: 'reject', keys: ['r'], shown: 'r', label: 'reject this review; discard an interrupted one' },
  { command: 'acceptSession', keys: ['A'], shown: 'A', label: 'accept all of this session (asks first)' },
  { command: 'rejectSession', keys: ['R'], shown: 'R', label: 'reject all of this session (asks first)' },
  { command: 'actions', keys: ['x'], shown: 'x', label: 'everything that can be done with this review' },
  { command: 'edit', keys: ['e'], shown: 'e', label: 'edit the text in $VISUAL or $EDITOR, at this line' },
  { command: 'diffTool', keys: ['d'], shown: 'd', label: 'edit it beside the file in a diff tool' },
  { command: 'comment', keys: ['c'], shown: 'c', label: 'comment on this line' },
  { command: 'feedback', keys: ['f'], shown: 'f', label: 'send your comments to the agent' },
  { command: 'undo', keys: ['u'], shown: 'u', label: 'undo your last step here' },
  { command: 'search', keys: ['/'], shown: '/', label: 'search in this review; Esc ends it' },
  {
    command: 'open',
    keys: ['enter'],
    shown: 'Enter',
    label: 'show folded lines; in the list: go to the review',
  },
  { command: 'focus', keys: ['tab', 'shift+tab'], shown: 'Tab', label: 'to the list of reviews, and back' },
  { command: 'pageDown', keys: ['pagedown', 'ctrl+d', 'ctrl+f'], shown: 'PgDn Ctrl+D', label: 'a page down' },
  { command: 'pageUp', keys: ['pageup', 'ctrl+u', 'ctrl+b'], shown: 'PgUp Ctrl+U', label: 'a page up' },
  { command: 'top', keys: ['g', 'home'], shown: 'g Home', label: 'first line' },
  { command: 'bottom', keys: ['G', 'end'], shown: 'G End', label: 'last line' },
  { command: 'left', keys: ['h', 'left'], shown: 'h ←', label: 'to the start of long lines' },
  { command: 'right', keys: ['l', 'right'], shown: 'l →', label: 'to the end of long lines' },
  { command: 'layout', keys: ['v'], shown: 'v', label: 'side by side, or one below the other' },
  { command: 'help', keys: ['?'], shown: '?', label: 'these keys' },
  { command: 'escape', keys: ['escape'], shown: 'Esc', label: 'end a search, close a dialog' },
  { command: 'suspend', keys: ['ctrl+z'], shown: 'Ctrl+Z', label: 'back to the shell; "fg" continues' },
  { command: 'quit', keys: ['q', 'ctrl+c'], shown: 'q', label: 'leave without deciding' },
];
