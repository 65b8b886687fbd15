import { EyeOff, Pause, Radio, Unplug } from 'lucide-react';
import { useMemo } from 'react';
import { region } from '../app/pageFocus.js';
import { useShell } from '../app/shellContext.js';
import { usePageState } from '../client/pageContext.js';
import { Choice } from '../primitives/field.js';
import { joinClasses } from '../primitives/joinClasses.js';
import { keyText } from '../primitives/keys.js';
import { describeSharing, togglePause } from './sharing.js';
import styles from './sharingLine.module.css';

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
      className={joinClasses('line small', styles.line)}
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
