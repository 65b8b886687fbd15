import { useLoaded } from '@tandem/chat-panel/primitives';
import { useShell } from '../app/shell.js';
import { usePageState } from '../client/pageContext.js';

/** How many files have changes that wait for the user, and how long changes are listed. */
export function useWaiting(): { readonly files: number; readonly note: string } {
  const { services } = useShell();
  const revision = usePageState(({ changesRevision, restarts }) => `${restarts} ${changesRevision}`);
  const { value } = useLoaded(() => services.host.request('changes.waiting', {}), [services, revision]);
  return value ?? { files: 0, note: '' };
}
