import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import { exhaustive } from '../../../test/exhaustive.js';
import { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

let scratch: Scratch;
const clients: { hangUp(): void }[] = [];
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.hangUp();
  await scratch.dispose();
});

const original = 'one\ntwo\nthree\nfour\nfive\n';
const proposed = 'ONE\ntwo\nthree\nfour\nfive\n';
const typed = 'ONE\ntwo\nthree\nfour\nFIVE\n';

/** Claude Code's proposal: its call does not survive the companion. */
async function proposeAsClaude(companion: TandemProcess, path: string, content = proposed): Promise<void> {
  const { agents } = await companion.event('ready');
  const client = await ClaudeClient.connect(agents.claude);
  clients.push({ hangUp: () => client.socket.terminate() });
  client.beginOpenDiff(path, content);
  await companion.event('review.opened', (event) => event.path === path);
}

async function proposeAsGemini(companion: TandemProcess, path: string): Promise<ScriptedAgent> {
  const { agents } = await companion.event('ready');
  const agent = await ScriptedAgent.connect(agents.gemini.discovery[0]);
  clients.push(agent.client);
  await agent.propose(path, proposed);
  return agent;
}

/** The user types into the first review; the journal has the text within a second. */
async function type(): Promise<void> {
  await scratch.call('review.edit', { id: '1', content: typed });
  await expect.poll(() => journalText(), { timeout: 2_000 }).toContain(JSON.stringify(typed));
}

function journalFiles(): string[] {
  const folder = join(scratch.state, 'tandem/journal');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}

function journalText(): string {
  return journalFiles()
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** The pending reviews in the last written journal, each with its last version. */
function pendingInJournal(): unknown[] {
  const last = new Map<string, { readonly version: number; readonly file: string }>();
  for (const file of journalFiles()) {
    const [, key = '', version = ''] = /([0-9a-f]{24})\.(\d+)\.json$/.exec(file) ?? [];
    if (Number(version) > (last.get(key)?.version ?? 0)) last.set(key, { version: Number(version), file });
  }
  return [...last.values()]
    .map(({ file }) => JSON.parse(readFileSync(file, 'utf8')))
    .filter(({ kind }) => kind === 'reviews');
}

describe('tandem serve after kill -9', () => {
  test('has the same port and tokens, and offers the edits', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    await proposeAsClaude(first, path);
    await type();
    // A replaced version may disappear while it is read.
    await expect
      .poll(() => new Set(journalFiles().map((file) => statSync(file).mode & 0o777)))
      .toEqual(new Set([0o600]));
    await first.signal('SIGKILL');

    const second = await scratch.serve();
    const [before, after] = [await first.event('ready'), await second.event('ready')];
    expect(after.agents.claude.url).toBe(before.agents.claude.url);
    expect(after.agents.claude.token).toBe(before.agents.claude.token);
    const list = await scratch.command(['review', 'list']);
    expect(list.stdout).toMatch(
      /^Interrupted \(1\) {2}No agent writes these texts\. Apply or discard them\.\n {2}1 {2}claude {2}a\.txt {2}\+2 -2 {2}edited, interrupted: not sent\n/,
    );
    expect(list.stdout).toContain('tandem review apply 1');
    expect((await scratch.command(['status'])).stdout).toContain(
      '  Interrupted (1)  No agent writes these texts. Apply or discard them.',
    );
    expect((await scratch.command(['review', 'show', '1', '--content'])).stdout).toBe(typed);
    expect((await scratch.command(['review', 'show', '1'])).stdout).toContain('+FIVE');
    expect(await scratch.command(['review', 'accept', '1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('review discard 1'),
    });
    expect(await scratch.command(['review', 'apply', '1'])).toMatchObject({
      code: 0,
      stdout: 'Written to a.txt. To undo: tandem undo r1\n',
    });
    expect(readFileSync(path, 'utf8')).toBe(typed);
    expect((await scratch.command(['review', 'list'])).stdout).toBe('No pending reviews.\n');
    await second.signal('SIGKILL');
    await scratch.serve();
    expect((await scratch.command(['review', 'list'])).stdout).toBe('No pending reviews.\n');
  });

  test('merges with a changed file, and marks conflicts only on request', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    await proposeAsClaude(first, path);
    await type();
    await first.signal('SIGKILL');
    writeFileSync(path, original.replace('five', '5'));
    await scratch.serve();
    const refused = await scratch.command(['review', 'apply', '1']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^Write both versions to a\.txt\?\n.*with conflict markers\.\nTo confirm: tandem review apply 1 --yes conflict\n$/,
      ),
    ]);
    expect(readFileSync(path, 'utf8')).toBe(original.replace('five', '5'));
    const applied = await scratch.command(['review', 'apply', '1', '--conflicts']);
    expect(applied.stdout).toBe(
      'Written to a.txt. One conflict is marked with <<<<<<<. Resolve it in your editor. To undo: tandem undo r1\n',
    );
    expect(readFileSync(path, 'utf8')).toBe(
      'ONE\ntwo\nthree\nfour\n<<<<<<< your text\nFIVE\n=======\n5\n>>>>>>> the file\n',
    );
  });

  test('discards a review for good', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    await proposeAsClaude(first, path);
    await type();
    await first.signal('SIGKILL');
    const second = await scratch.serve();
    expect(await scratch.command(['review', 'discard', '1'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Discard the interrupted review of .*To confirm: tandem review discard 1 --yes\n$/s,
      ),
    });
    expect((await scratch.command(['review', 'discard', '1', '--yes'])).stdout).toBe(
      'Review 1 is discarded.\n',
    );
    expect(journalText()).not.toContain('FIVE');
    expect((await scratch.command(['review', 'discard', '1'])).code).toBe(4);
    await second.signal('SIGKILL');
    await scratch.serve();
    expect(await scratch.call('review.list', {})).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(original);
  });

  test('continues the session and the review of a client that returns', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    const agent = await proposeAsGemini(first, path);
    await type();
    await first.signal('SIGKILL');
    const second = await scratch.serve();
    await second.event('review.opened');
    expect((await agent.client.openStream()).status).toBe(200);
    const [review] = await scratch.call('review.list', {});
    expect(review?.state).toBe('pending');
    await scratch.call('review.accept', { id: review?.id ?? '' });
    expect(await agent.accepted()).toBe(typed);
    expect(await scratch.call('review.list', {})).toEqual([]);
  });

  test('keeps an accepted text for an agent that ended before the answer', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    const agent = await proposeAsGemini(first, path);
    await type();
    agent.client.hangUp();
    await scratch.call('review.accept', { id: '1' });
    await expect.poll(() => journalText(), { timeout: 2_000 }).toContain('"isAccepted":true');
    await first.signal('SIGKILL');
    const second = await scratch.serve();
    // Until then its session may return for the answer.
    await agent.client.end();
    await second.event('session.closed');
    await expect
      .poll(() => scratch.call('review.list', {}))
      .toMatchObject([{ state: 'interrupted', isEdited: true }]);
    const [review] = await scratch.call('review.list', {});
    expect((await scratch.call('review.show', { id: review?.id ?? '' })).content).toBe(typed);
  });
});

describe('the journal of tandem serve', () => {
  test(
    'has room for every change within the limits of proposals: six megabytes, edited',
    exhaustive,
    async () => {
      const large = 'a line of the file\n'.repeat(330_000);
      const path = scratch.write('large.txt', large);
      const first = await scratch.serve();
      await proposeAsClaude(first, path, `proposed\n${large}`);
      // In a process of its own: so long a text would keep the client in this one from answering the companion.
      const { code } = await scratch.run(['review', 'edit'], { env: { EDITOR: 'echo typed at the end >>' } });
      expect(code).toBe(0);
      await expect.poll(() => journalText(), { timeout: 5_000 }).toContain('typed at the end');
      await first.signal('SIGKILL');
      await scratch.serve();
      const { stdout } = await scratch.command(['review', 'show', '1', '--content']);
      expect(stdout === `proposed\n${large}typed at the end\n`).toBe(true);
      expect((await scratch.command(['review', 'apply', '1'])).code).toBe(0);
      expect(readFileSync(path, 'utf8') === stdout).toBe(true);
    },
  );

  test('contains all reviews, however many: three hundred pending', {
    ...exhaustive,
    timeout: 90_000,
  }, async () => {
    const first = await scratch.serve();
    const [discovery] = (await first.event('ready')).agents.gemini.discovery;
    const agents = await Promise.all([1, 2, 3].map(() => ScriptedAgent.connect(discovery)));
    clients.push(...agents.map(({ client }) => client));
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        agents.flatMap((agent, at) =>
          Array.from({ length: 25 }, (_, count) =>
            agent.propose(scratch.write(`${at}-${round}-${count}.txt`, original), proposed),
          ),
        ),
      );
    }
    await first.signal('SIGKILL');
    await scratch.serve();
    const count = async () => (await scratch.call('review.list', {})).length;
    await expect.poll(count, { timeout: 20_000 }).toBe(300);
  });

  test.each(['accept', 'reject'])(
    'is a decision to %s, from the moment at which the command has said so',
    async (decision) => {
      const first = await scratch.serve();
      for (let count = 0; count < 3; count++)
        await proposeAsGemini(first, scratch.write(`${count}.txt`, original));
      const decided = await Promise.all(['1', '2', '3'].map((id) => scratch.run(['review', decision, id])));
      first.child.kill('SIGKILL');
      expect(decided.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(['0 ', '0 ', '0 ']);
      await first.ended;
      expect(journalFiles()).not.toEqual([]);
      expect(pendingInJournal()).toEqual([]);
      await scratch.serve();
      const states = (await scratch.call('review.list', {})).map(({ state }) => state);
      expect(states).not.toContain('pending');
    },
  );
});

describe('tandem serve after an orderly end', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('by %s keeps edits, and reports it', async (signal) => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    await proposeAsClaude(first, path);
    await type();
    const { stderr } = await first.signal(signal);
    expect(stderr).toContain(`your edits to the review of ${path} are saved; tandem restores them`);
    const second = await scratch.serve();
    expect((await second.event('ready')).agents.claude.url).toBe(
      (await first.event('ready')).agents.claude.url,
    );
    expect((await scratch.call('review.show', { id: '1' })).content).toBe(typed);
  });

  test('does not offer an unedited proposal', async () => {
    const path = scratch.write('a.txt', original);
    const first = await scratch.serve();
    await proposeAsClaude(first, path);
    await first.signal('SIGINT');
    await scratch.serve();
    expect(await scratch.call('review.list', {})).toEqual([]);
  });
});

describe('a full disk', () => {
  test('affects only the journal: it is reported once, and an orderly end reports where the text is', async () => {
    const path = scratch.write('a.txt', original);
    // No file of the companion may grow beyond 8 KiB: a larger journal cannot be written, like on a full disk.
    const [program, ...args] = scratch.commandLine(['serve', '--json']);
    const limited = 'ulimit -f 8; exec "$0" "$@"';
    const first = scratch.startProgram('/bin/bash', ['-c', limited, program, ...args]);
    await proposeAsClaude(first, path, `${proposed}${'a line of the proposal\n'.repeat(1_000)}`);
    await first.complained('the journal could not be written');
    await scratch.command(['review', 'edit'], { env: { EDITOR: `printf 'short\n' >` } });
    expect(JSON.parse((await scratch.command(['review', 'list', '--json'])).stdout)).toMatchObject([
      { notKept: 'file too large' },
    ]);
    expect((await scratch.command(['review', 'list'])).stdout).toMatch(
      /edited\n +Not saved: a crash would lose your edits/,
    );
    expect((await scratch.command(['review', 'show'])).stdout).toContain(
      'Not saved: a crash would lose your edits (file too large).',
    );
    const { stderr, code } = await first.signal('SIGTERM');
    expect(code).toBe(143);
    expect(stderr.match(/could not be written/g)).toHaveLength(1);
    const [, file = ''] = /your unsaved text of .* is saved in (.*)\n/.exec(stderr) ?? [];
    expect(readFileSync(file, 'utf8')).toBe('short\n');
    expect(scratch.discoveryFiles()).toEqual([]);
    const folder = join(scratch.state, 'tandem/journal');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
