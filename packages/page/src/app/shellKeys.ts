import { isPlain, matchesKey } from '@tandem/chat-panel/primitives';
import { layoutPreferences, toggleSide } from '../client/preferences.js';
import { focusRegion, takesText } from './pageFocus.js';
import { slipMs } from './reviewArrivals.js';
import { togglePause } from './sharingLine.js';
import type { Shell } from './shell.js';

/** A command of the page, as the list of all keys shows it. */
interface KeyBinding {
  /** Such as `Mod+P`, as in `matchesKey`. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly group: 'Go to' | 'Chat' | 'Reviews' | 'Files' | 'Sharing' | 'Page';
  readonly run: () => void;
}

/** The keys of the page's frame, without those that browsers reserve. */
export function shellKeys(shell: Shell): readonly KeyBinding[] {
  const withPath = (path: string | undefined, run: (path: string) => unknown): void => {
    if (path === undefined) shell.notices.info('Open a file first.');
    else run(path);
  };
  const bind = (
    group: KeyBinding['group'],
    keys: readonly string[],
    label: string,
    run: KeyBinding['run'],
  ): KeyBinding => ({ group, keys, label, run });
  return [
    bind('Go to', ['Mod+P'], 'Quick open: a file or a review', () =>
      shell.openDialog({ kind: 'quick-open' }),
    ),
    bind('Go to', ['F6'], 'Next area of the page', () => focusRegion(1)),
    bind('Go to', ['Shift+F6'], 'Previous area of the page', () => focusRegion(-1)),
    bind('Go to', ['Alt+Shift+PageDown'], 'Next tab', () => shell.stepTab(1)),
    bind('Go to', ['Alt+Shift+PageUp'], 'Previous tab', () => shell.stepTab(-1)),
    bind('Go to', ['Alt+W'], 'Close the tab', () => {
      if (shell.tabs.active !== undefined) void shell.closeTab(shell.tabs.active);
    }),
    bind('Go to', ['Alt+A'], 'Agents', () => shell.showAgents()),
    bind('Go to', ['Alt+G'], 'Changes', () => shell.showChanges()),
    bind('Chat', ['Alt+C'], 'Open the chat, or close it if it has the focus', () => toggleChat(shell)),
    bind('Chat', ['Alt+Q'], 'Go to the question in the chat', () => shell.answerChat()),
    bind('Reviews', ['Alt+PageDown', ']'], 'Next review', () => shell.stepReview(1)),
    bind('Reviews', ['Alt+PageUp', '['], 'Previous review', () => shell.stepReview(-1)),
    bind('Files', ['Mod+S'], 'Save', () =>
      withPath(shell.activePath, (path) => void shell.documentCommands.save(path)),
    ),
    bind('Sharing', ['Alt+M'], 'Mention the selection or the file to agents', () =>
      withPath(shell.activePath ?? shell.latestPath, (path) => void shell.documentCommands.mention(path)),
    ),
    bind('Sharing', ['Alt+Shift+P'], 'Pause or resume sharing', () => void togglePause(shell)),
    bind('Page', ['Mod+B'], 'Show or hide the side bar', () => {
      toggleSide();
      const { isSideShown } = layoutPreferences.getState();
      shell.notices.announce(isSideShown ? 'Side bar shown' : 'Side bar hidden');
    }),
    bind('Page', ['F1', '?'], 'Keyboard shortcuts', () => shell.openDialog({ kind: 'help' })),
  ];
}

/** Opens the chat with the focus, or closes it and returns the focus to the active tab. */
function toggleChat(shell: Shell): void {
  const isInside = document.activeElement?.closest('[data-chat]') != null;
  if (!isInside) {
    shell.showChat();
    return;
  }
  shell.hideChat();
  const { active } = shell.tabs;
  if (active !== undefined) shell.activate(active.key);
}

/** Listens for the page's keys, before the editors do. Returns a function that stops it. */
export function listenForKeys(shell: Shell): () => void {
  const bindings = shellKeys(shell);
  const onKey = (event: KeyboardEvent): void => {
    // Keys of input methods and of dialogs are not the page's.
    if (event.isComposing || document.querySelector('dialog:modal') !== null) return;
    if (isSlip(shell, event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    for (const { keys, run } of bindings) {
      const pressed = keys.find((key) => matchesKey(event, key));
      if (pressed === undefined) continue;
      if (isPlain(pressed) && (takesText(document.activeElement) || isWidgetWithTypeAhead())) return;
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat || pressed.includes('Page')) run();
      return;
    }
  };
  window.addEventListener('keydown', onKey, { capture: true });
  return () => window.removeEventListener('keydown', onKey, { capture: true });
}

/**
 * Whether Mod+Enter was meant for the last review, which the page has just replaced. A user who has typed since then has seen the
 * new one.
 */
export function isSlip(
  shell: Pick<Shell, 'advancedAt'>,
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'repeat' | 'timeStamp'>,
): boolean {
  const hasMod = event.ctrlKey || event.metaKey;
  if (event.key.length === 1 && !hasMod && !event.repeat) shell.advancedAt = Number.NEGATIVE_INFINITY;
  return event.key === 'Enter' && hasMod && (event.repeat || event.timeStamp - shell.advancedAt < slipMs);
}

/** A tree finds names by typed characters. */
function isWidgetWithTypeAhead(): boolean {
  return document.activeElement?.getAttribute('role') === 'tree';
}
