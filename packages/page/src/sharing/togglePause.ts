import type { Shell } from '../app/shell.js';

/** Stops telling agents what is open and selected, or begins again. */
export async function togglePause(shell: Shell): Promise<void> {
  const { host, store } = shell.services;
  const { isPaused } = store.getState().sharing;
  try {
    const sharing = await host.request(isPaused ? 'share.resume' : 'share.pause', {});
    // The live event may come a moment later, and the next press of the switch must not undo what the person heard.
    store.setState({ sharing });
    shell.notices.say(isPaused ? 'Sharing is resumed.' : 'Sharing is paused. Agents see no files.');
  } catch (error) {
    shell.notices.failure(isPaused ? 'Sharing could not be resumed' : 'Sharing could not be paused', error);
  }
}
