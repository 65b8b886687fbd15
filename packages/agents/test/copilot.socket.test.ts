import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { socketPathsOf } from '../src/copilot/discovery.js';
import { agents, type RunningProtocol } from '../src/index.js';
import { CopilotClient } from './support/copilotClient.js';
import { Stage } from './support/stage.js';

describe('the folder of the socket', () => {
  const isRoot = process.getuid?.() === 0;
  const other = 65_534;
  const served: Stage[] = [];
  afterEach(async () => {
    for (const each of served.splice(0)) await each.close();
  });

  /** A companion of a machine on which `occupy` first takes the preferred folder, and then, if `all`, the others below /tmp. */
  async function serve(occupy: (folder: string) => void, all = false): Promise<RunningProtocol> {
    const home = mkdtempSync(join(tmpdir(), 'h-'));
    const there = { platform: process.platform, home, tmpdir: join(home, 't'), env: {} };
    mkdirSync(there.tmpdir);
    for (const path of socketPathsOf(there, 1).slice(0, all ? -1 : 1)) {
      occupy(dirname(path));
      onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }));
    }
    const made = await Stage.create({ machine: there });
    served.push(made);
    return made.start(agents.copilot);
  }

  it.each([
    ['a file', (folder: string) => writeFileSync(folder, '')] as const,
    ['a link', (folder: string) => symlinkSync(tmpdir(), folder)] as const,
    // Only root can give a folder away.
    ...(isRoot
      ? [
          [
            'a folder of another user',
            (folder: string) => {
              mkdirSync(folder);
              chownSync(folder, other, other);
            },
          ] as const,
        ]
      : []),
  ])('is another one if %s has its name: the CLI connects there', async (_what, occupy) => {
    for (const all of [false, true]) {
      const elsewhere = await serve(occupy, all);
      expect(elsewhere.problem?.()).toBeUndefined();
      const [{ content } = { content: {} }] = elsewhere.discovery();
      expect(content).toMatchObject({ socketPath: elsewhere.url });
      const client = await CopilotClient.connect(elsewhere);
      expect(elsewhere.sessions()).toHaveLength(1);
      expect(statSync(dirname(elsewhere.url)).mode & 0o777).toBe(0o700);
      client.hangUp();
      elsewhere.stop();
      expect(existsSync(elsewhere.url)).toBe(false);
    }
  });

  it('is below the home if other users occupy all that are shared', async () => {
    const elsewhere = await serve((folder) => writeFileSync(folder, ''), true);
    expect(elsewhere.url).toMatch(/\/h-\w+\/\.copilot\/tandem\/copilot-\d+\.sock$/);
  });
});
