import { CloudOff, KeyRound, RefreshCw, RotateCcw, X } from 'lucide-react';
import { useEffect } from 'react';
import { useCommand, usePage, usePageState } from '../client/pageContext.js';
import { Bar } from './bar.js';
import styles from './bar.module.css';
import { Button } from './button.js';
import { describeRestart, isRestartFelt } from './describeRestart.js';
import { IconButton } from './iconButton.js';
import { LostAgentBars } from './lostAgentBars.js';
import { useShell } from './shellContext.js';

/** How long the report of a restart stays once nothing of it is left. */
const afterwardsMs = 8_000;

/** Calm bars below the top: what is wrong with the connection, what a restart did, who is missing, whether to load the page again. */
export function ConnectionBars() {
  const { host, store } = usePage();
  const { notices } = useShell();
  const command = useCommand();
  const connection = usePageState((state) => state.connection);
  const isKnown = usePageState((state) => state.host !== undefined);
  const restart = usePageState((state) => state.restart);
  const isFelt = usePageState((state) => restart !== undefined && isRestartFelt(restart, state));
  const build = usePageState((state) => state.host?.build);
  useEffect(() => {
    if (!isKnown) return;
    if (connection === 'lost') notices.say('The companion cannot be reached. What you type is kept.');
    if (connection === 'open') notices.say('Connected.');
  }, [connection, isKnown, notices]);
  useEffect(() => {
    if (restart === undefined || isFelt || restart.failed.length > 0) return;
    const timer = window.setTimeout(() => store.setState({ restart: undefined }), afterwardsMs);
    return () => window.clearTimeout(timer);
  }, [restart, isFelt, store]);
  return (
    <>
      {connection === 'lost' && (
        <Bar kind="warning" icon={<CloudOff size={16} aria-hidden="true" />}>
          <p className={styles.text}>
            <strong>The companion cannot be reached.</strong> Reconnecting… What you type is kept. If it has
            ended, run <code>{command} serve</code> in its folder.
          </p>
          <Button onClick={() => host.retry()}>Try now</Button>
        </Bar>
      )}
      {connection === 'refused' && (
        <Bar kind="warning" icon={<KeyRound size={16} aria-hidden="true" />}>
          <p className={styles.text}>
            <strong>This page's key is no longer valid:</strong> another program or another companion answers
            at this address. Copy unsaved text: it exists only here. Then run <code>{command} page</code> in a
            terminal and open the address that it prints.
          </p>
        </Bar>
      )}
      {restart !== undefined && (
        <Bar kind="info" icon={<RotateCcw size={16} aria-hidden="true" />}>
          <p className={styles.text}>{describeRestart(restart)}</p>
          <IconButton icon={X} label="Dismiss" onClick={() => store.setState({ restart: undefined })} />
        </Bar>
      )}
      <LostAgentBars />
      {isOtherBuild(build) && (
        <Bar kind="info" icon={<RefreshCw size={16} aria-hidden="true" />}>
          <p className={styles.text}>Tandem was updated. Reload the page to use the new version.</p>
          <Button onClick={() => location.reload()}>Reload</Button>
        </Bar>
      )}
    </>
  );
}

/** Whether the host belongs to another page than this one. Neither is known while Tandem is being developed. */
function isOtherBuild(build: string | undefined): boolean {
  const own = document.querySelector<HTMLMetaElement>('meta[name="tandem-build"]')?.content ?? '';
  const isKnown = (value: string | undefined): value is string => !!value && !value.startsWith('__');
  return isKnown(own) && isKnown(build) && own !== build;
}
