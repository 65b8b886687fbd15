import { layoutPreferences, toggleSide } from '../client/preferences.js';
import { isPlain, matchesKey } from '../primitives/keys.js';
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
  readonly run: (key: string) => void;
}

/** The keys of the page's frame. They avoid those that browsers keep for themselves. */
export function shellKeys(shell: Shell): readonly KeyBinding[] {
  const withDocument = (run: (path: string) => void) => (): void => {
    const path = shell.activePath;
    if (path === undefined) shell.notices.info('Open a file first.');
    else run(path);
  };
  // A character that was pressed again would be typed into a text with the focus.
  const stepReview =
    (step: 1 | -1) =>
    (key: string): void =>
      shell.stepReview(step, { takesFocus: !isPlain(key) });
  return [
    {
      group: 'Go to',
      keys: ['Mod+P'],
      label: 'Quick open: a file or a review',
      run: () => shell.openDialog({ kind: 'quick-open' }),
    },
    { group: 'Go to', keys: ['F6'], label: 'Next area of the page', run: () => focusRegion(1) },
    { group: 'Go to', keys: ['Shift+F6'], label: 'Previous area of the page', run: () => focusRegion(-1) },
    { group: 'Go to', keys: ['Alt+Shift+PageDown'], label: 'Next tab', run: () => shell.stepTab(1) },
    { group: 'Go to', keys: ['Alt+Shift+PageUp'], label: 'Previous tab', run: () => shell.stepTab(-1) },
    {
      group: 'Go to',
      keys: ['Alt+W'],
      label: 'Close the tab',
      run: () => {
        if (shell.tabs.active !== undefined) void shell.closeTab(shell.tabs.active);
      },
    },
    { group: 'Go to', keys: ['Alt+A'], label: 'Agents', run: () => shell.showAgents() },
    {
      group: 'Chat',
      keys: ['Alt+C'],
      label: 'Open the chat, or close it if it has the focus',
      run: () => toggleChat(shell),
    },
    {
      group: 'Chat',
      keys: ['Alt+Q'],
      label: 'Go to the question in the chat',
      run: () => shell.answerChat(),
    },
    { group: 'Reviews', keys: ['Alt+PageDown', ']'], label: 'Next review', run: stepReview(1) },
    {
      group: 'Reviews',
      keys: ['Alt+PageUp', '['],
      label: 'Previous review',
      run: stepReview(-1),
    },
    {
      group: 'Files',
      keys: ['Mod+S'],
      label: 'Save',
      run: withDocument((path) => void shell.documentCommands.save(path)),
    },
    {
      group: 'Sharing',
      keys: ['Alt+M'],
      label: 'Mention the selection or the file to agents',
      run: () => {
        const path = shell.activePath ?? shell.latestPath;
        if (path === undefined) shell.notices.info('Open a file first.');
        else void shell.documentCommands.mention(path);
      },
    },
    {
      group: 'Sharing',
      keys: ['Alt+Shift+P'],
      label: 'Pause or resume sharing',
      run: () => void togglePause(shell),
    },
    {
      group: 'Page',
      keys: ['Mod+B'],
      label: 'Show or hide the side bar',
      run: () => {
        toggleSide();
        shell.notices.announce(
          layoutPreferences.getState().isSideShown ? 'Side bar shown' : 'Side bar hidden',
        );
      },
    },
    { group: 'Page', keys: ['F1', '?'], label: 'All keys', run: () => shell.openDialog({ kind: 'help' }) },
  ];
}

/** Opens the chat and goes into it; out of it the focus goes back to the tabs. */
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

/** Listens for the page's keys, before the editors do. Returns what stops the listening. */
export function listenForKeys(shell: Shell): () => void {
  const bindings = shellKeys(shell);
  const onKey = (event: KeyboardEvent): void => {
    // A key that confirms what an input method composed, or that answers a dialog, is not ours.
    if (event.isComposing || document.querySelector('dialog:modal') !== null) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isSlip(shell, event)) {
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
      if (!event.repeat || pressed.includes('Page')) run(pressed);
      return;
    }
  };
  window.addEventListener('keydown', onKey, { capture: true });
  return () => window.removeEventListener('keydown', onKey, { capture: true });
}

/** Whether a press was meant for the review before: the page has just replaced it, and the user has not seen the new one. */
function isSlip(shell: Shell, event: KeyboardEvent): boolean {
  return event.repeat || performance.now() - shell.advancedAt < slipMs;
}

/** A tree finds names by the characters that are typed. */
function isWidgetWithTypeAhead(): boolean {
  return document.activeElement?.getAttribute('role') === 'tree';
}
