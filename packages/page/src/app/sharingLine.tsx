import { Choice, joinClasses, keyText } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import type { SharingStatus } from '@tandem/rpc';
import { EyeOff, Pause, Radio, Unplug } from 'lucide-react';
import { useMemo } from 'react';
import { usePageState } from '../client/pageContext.js';
import type { PageAgent } from '../wire/index.js';
import styles from './frame.module.css';
import { region } from './pageFocus.js';
import { type Shell, useShell } from './shell.js';

const icons = { shared: Radio, idle: Radio, nothing: Unplug, paused: Pause, 'held-back': EyeOff };
const kinds = {
  shared: 'good',
  idle: undefined,
  nothing: undefined,
  paused: 'warning',
  'held-back': 'warning',
};

/** What agents see now, and the switch that stops sharing. */
export function SharingLine() {
  const shell = useShell();
  const sharing = usePageState((state) => state.sharing);
  const agents = usePageState((state) => state.agents);
  const connection = usePageState((state) => state.connection);
  const words = useMemo(() => describeSharing(sharing, agents), [sharing, agents]);
  const isKnown = connection === 'open';
  // Nothing is known before the first connection.
  const absent =
    connection === 'connecting' ? ['', ''] : ['Not connected', 'Agents receive nothing from this page.'];
  const Icon = icons[isKnown ? words.kind : 'nothing'];
  return (
    <footer
      className={joinClasses('line small', styles.sharing)}
      data-kind={isKnown ? kinds[words.kind] : undefined}
      {...region('sharing')}
    >
      <Icon size={16} aria-hidden="true" />
      <p className={joinClasses('line grow', styles.words)}>
        <strong className={joinClasses(styles.state, 'truncate')}>{isKnown ? words.state : absent[0]}</strong>
        <span
          className={joinClasses(styles.detail, 'truncate muted')}
          title={isKnown ? words.detail : undefined}
        >
          {isKnown ? words.detail : absent[1]}
        </span>
      </p>
      <Choice
        type="checkbox"
        role="switch"
        className={styles.switch}
        checked={!sharing.isPaused}
        disabled={!isKnown}
        tip={`Share open files and the selection with agents (${keyText('Alt+Shift+P')})`}
        onChange={() => void togglePause(shell)}
        title="Share"
      />
    </footer>
  );
}

/** The text of the sharing line, which begins with what agents see. `kind`: how much. */
export interface SharingWords {
  readonly kind: 'shared' | 'idle' | 'nothing' | 'paused' | 'held-back';
  readonly state: string;
  /** Which agents, or why nothing. */
  readonly detail: string;
}

export function describeSharing(sharing: SharingStatus, agents: readonly PageAgent[]): SharingWords {
  const connected = agents.filter(({ sessions }) => sessions.length > 0);
  if (sharing.isPaused) {
    return {
      kind: 'paused',
      state: 'Sharing is paused',
      detail: 'Agents see no files. Reviews continue.',
    };
  }
  if (connected.length === 0) {
    return { kind: 'nothing', state: 'No agent is connected', detail: 'Nothing is shared.' };
  }
  const { heldBack, activeFile } = sharing;
  if (heldBack?.isFromAll) {
    return {
      kind: 'held-back',
      state: `Hidden from agents: ${visibleName(heldBack.label)}`,
      detail: visibleName(heldBack.reason),
    };
  }
  if (activeFile === undefined) {
    return {
      kind: 'idle',
      state: 'Agents see no file',
      detail: `Connected: ${namesOf(connected)}`,
    };
  }
  const withheld = new Set(heldBack?.agents);
  const sharedWith = connected.filter(({ displayName }) => !withheld.has(displayName));
  const detail = [`Shared with ${namesOf(sharedWith)}`];
  if (heldBack !== undefined) {
    const others = connected.filter((agent) => !sharedWith.includes(agent));
    detail.push(`hidden from ${namesOf(others)} (${visibleName(heldBack.reason)})`);
  }
  const seen = [visibleName(activeFile.label), describeSelection(activeFile.selectedCharacters)];
  return {
    kind: 'shared',
    state: `Agents see ${seen.filter((part) => part !== '').join(', ')}`,
    detail: detail.join(', '),
  };
}

function namesOf(agents: readonly PageAgent[]): string {
  return agents.map(({ displayName }) => visibleName(displayName)).join(', ');
}

function describeSelection(characters: number): string {
  if (characters === 0) return '';
  return characters === 1 ? '1 character selected' : `${characters.toLocaleString('en')} characters selected`;
}

/** Stops telling agents what is open and selected, or begins again. */
export async function togglePause(shell: Shell): Promise<void> {
  const { host, store } = shell.services;
  const { isPaused } = store.getState().sharing;
  try {
    const sharing = await host.request(isPaused ? 'share.resume' : 'share.pause', {});
    // The live event may come a moment later, and the next press of the switch must not undo what the user was shown.
    store.setState({ sharing });
    shell.notices.announce(isPaused ? 'Sharing is resumed.' : 'Sharing is paused. Agents see no files.');
  } catch (error) {
    shell.notices.failure(isPaused ? 'Sharing could not be resumed' : 'Sharing could not be paused', error);
  }
}
