import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Path } from '@tandem/core';

const callLimitMs = 2_000;
const maxOutput = 1024 * 1024;

/** A terminal inside tmux. Its methods reject if tmux fails. */
export interface TmuxPane {
  /** The visible rows, also in copy mode, and the title that the program has set. */
  look(): Promise<{ readonly screen: string; readonly title: string }>;
  /** Types a text exactly as it is. */
  paste(text: string): Promise<void>;
}

/**
 * The pane with this terminal. Undefined if there is none, or if tmux is not installed. `socket`: that of the server; by default the
 * user's own.
 */
export async function findTmuxPane(tty: Path, socket: Path | undefined): Promise<TmuxPane | undefined> {
  const tmux = (args: readonly string[], input?: string): Promise<string> =>
    run(['-u', ...(socket === undefined ? [] : ['-S', socket]), ...args], input);
  const list = await tmux(['list-panes', '-a', '-F', '#{pane_tty} #{pane_dead} #{pane_id}']).catch(() => '');
  const found = new Set(
    list
      .split('\n')
      .filter((line) => line.startsWith(`${tty} 0 %`))
      .map((line) => line.split(' ')[2] ?? ''),
  );
  const [pane, ...others] = found;
  if (pane === undefined || others.length > 0) return undefined;
  return {
    async look() {
      const title = await tmux(['display-message', '-p', '-t', pane, '#{pane_title}']);
      return { screen: await tmux(['capture-pane', '-p', '-t', pane]), title: title.trim() };
    },
    async paste(text) {
      const buffer = `tandem-${randomBytes(8).toString('hex')}`;
      // Later versions replace control characters by default.
      const usage = await tmux(['list-commands', 'paste-buffer']);
      const asIs = /\[-[A-Za-z]*S/.test(usage) ? ['-S'] : [];
      await tmux(['load-buffer', '-b', buffer, '-'], text);
      try {
        await tmux(['paste-buffer', '-r', ...asIs, '-d', '-b', buffer, '-t', pane]);
      } catch (error) {
        await tmux(['delete-buffer', '-b', buffer]).catch(() => {});
        throw error;
      }
    },
  };
}

function run(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: callLimitMs, maxBuffer: maxOutput, cwd: '/', windowsHide: true };
    // Errors of `execFile` contain the arguments, of which none is a text.
    const child = execFile('tmux', [...args], options, (error, stdout) => {
      if (error) reject(new Error('tmux failed.', { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
