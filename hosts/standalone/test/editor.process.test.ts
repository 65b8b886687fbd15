import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCompanions } from '@tandem/companion/control';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frame } from '../../remote/src/frames.js';
import { EditorProcess } from './support/editorProcess.js';
import type { ScriptedAgent } from './support/scriptedAgent.js';
import { Scratch } from './support/tandemProcess.js';

const original = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';
const typed = 'ONE\ntwo\nTHREE\n';
const largeText = 'x'.repeat(1024 * 1024);

let scratch: Scratch;
const editors: EditorProcess[] = [];
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.dispose()));
  await scratch.dispose();
});

async function start(options: Parameters<typeof EditorProcess.start>[1] = {}): Promise<EditorProcess> {
  const editor = await EditorProcess.start(scratch, options);
  editors.push(editor);
  return editor;
}

/** An agent proposes a change, and the user types into it. */
async function typeInto(editor: EditorProcess, text = typed): Promise<string> {
  const path = scratch.write('a.txt', original);
  const agent = await editor.connectAgent(scratch);
  agent.socket.on('error', () => {});
  agent.beginOpenDiff(path, proposed);
  await editor.peer.until(() => editor.peer.views.size > 0);
  const [id = ''] = editor.peer.views.keys();
  await editor.peer.type(id, text);
  return id;
}

/** All that the journals of the workspace hold. */
function journal(): string {
  const folder = join(scratch.state, 'tandem/journal');
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

/** The sockets, and the files by which agents and commands find companions. */
function leftovers(): string[] {
  const folders = [scratch.home, scratch.tmpdir, join(scratch.state, 'tandem/companions')];
  return folders.flatMap((folder) => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  });
}

async function interrupted(editor: EditorProcess): Promise<string> {
  return JSON.stringify(await editor.peer.connection.request('review/list', {}));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('tandem editor', () => {
  it.each(['headers', 'lines'] as const)(
    'answers what it cannot read, with %s, and goes on [EDT-16]',
    async (framing) => {
      const editor = await start({ framing, initialize: { settings: { agents: ['claude'] } } });
      const errors: string[] = [];
      const count = (text: string): number => errors.join('').split(text).length - 1;
      editor.child.stdout?.on('data', (chunk: Buffer) => errors.push(chunk.toString('latin1')));
      const goesOn = async (): Promise<void> => {
        expect(await editor.peer.connection.request('review/list', {}, 20_000)).toMatchObject({
          reviews: [],
        });
      };
      editor.write(frame('{"jsonrpc":"2.0", nonsense', framing));
      await goesOn();
      expect(count('-32700')).toBe(1);
      editor.write(frame('[]', framing));
      await goesOn();
      expect(count('-32600')).toBe(1);
      const large = 128 * 1024 * 1024;
      if (framing === 'headers') editor.write(`Content-Length: ${large}\r\n\r\n`);
      for (let sent = 0; sent < large; sent += 1024 * 1024) editor.write(Buffer.alloc(1024 * 1024, 'x'));
      if (framing === 'lines') editor.write('\n');
      await goesOn();
      expect(count('-32600')).toBe(2);
      expect(errors.join('')).toContain('is larger than');
      if (framing === 'headers') {
        editor.write('Content-Length: 5\r\n\r\n{"jsonrpc":"2.0"}');
        await goesOn();
        editor.write('Content-Length: many\r\n\r\n');
        await goesOn();
        expect(count('-32700')).toBe(3);
      }
    },
  );

  it('survives a flood, and answers the last snapshot [EDT-17]', async () => {
    const editor = await start({ initialize: { settings: { agents: ['claude'] } } });
    const path = scratch.write('a.txt', original);
    const selection = {
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
      text: 'one',
    };
    for (let at = 0; at < 5_000; at++) {
      editor.peer.connection.notify('context/changed', {
        openFiles: [{ path, selection }],
        activePath: path,
      });
    }
    const answers = Array.from({ length: 1_000 }, () => editor.peer.connection.request('status', {}, 30_000));
    for (const answer of await Promise.all(answers))
      expect(answer).toMatchObject({ agents: [{ id: 'claude' }] });
    await expect
      .poll(() => scratch.call('status', {}))
      .toMatchObject({ sharing: { activeFile: { path, selectedCharacters: 3 } } });
  });

  it('refuses everything before initialize, and other versions [EDT-18]', async () => {
    const editor = new EditorProcess(scratch);
    editors.push(editor);
    await expect(editor.peer.connection.request('status', {}, 20_000)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await expect(editor.peer.initialize([scratch.workspace], { protocolVersion: 3 })).rejects.toThrow(
      'initialize: protocolVersion',
    );
    await expect(editor.peer.initialize(['relative'])).rejects.toThrow('workspaceFolders.0');
  });

  it('ends with shutdown, and leaves no file by which it is found [EDT-19]', async () => {
    const editor = await start();
    expect(scratch.discoveryFiles()).not.toEqual([]);
    expect(await editor.peer.connection.request('shutdown', {})).toBeNull();
    expect(await editor.ended).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  const half = 'Content-Length: 1000\r\n\r\n{"jsonrpc":"2.0","method":"context/changed","params":{';
  const flood = frame('{"jsonrpc":"2.0","method":"context/changed","params":{"openFiles":[]}}', 'headers');
  it.each([
    { what: 'in the middle of a message', last: half },
    { what: 'in a flood', last: flood.repeat(20_000) + half },
  ])('leaves only what was typed when its editor ends $what [EDT-19 EDT-20]', async ({ last }) => {
    const editor = await start();
    await typeInto(editor);
    // As if it were killed.
    editor.child.stdout?.destroy();
    editor.child.stdin?.end(last);
    expect(await editor.ended).toBe(0);
    expect(leftovers()).toEqual([]);
    expect(journal()).toContain(JSON.stringify(typed));
  });

  it('ends when its editor sends requests and reads nothing, and leaves only what was typed [EDT-24]', async () => {
    const editor = await start({ isQuick: true });
    const id = await typeInto(editor, largeText);
    editor.child.stdout?.pause();
    const isOver = editor.ended.then(() => true);
    // Each is answered by the whole review.
    const ask = (): Promise<unknown> => editor.peer.connection.ask('review/show', { id });
    for (let sent = 0; sent < 50; sent++) ask().catch(() => {});
    const sending = setInterval(() => ask().catch(() => {}), 20);
    expect(await isOver).toBe(true);
    clearInterval(sending);
    expect(editor.stderr).toContain('the editor neither reads nor lets requests end');
    expect(leftovers()).toEqual([]);
    const next = await start();
    expect(await interrupted(next)).toContain('"isEdited":true');
  });

  it('reports that the companion cannot start, also to requests that wait for it, and ends [EDT-28]', async () => {
    rmSync(scratch.state, { recursive: true });
    writeFileSync(scratch.state, '');
    const editor = new EditorProcess(scratch);
    editors.push(editor);
    const { connection } = editor.peer;
    const asked = [editor.peer.initialize([scratch.workspace]), connection.request('status', {}, 20_000)];
    connection.notify('context/changed', { openFiles: [] });
    for (const each of await Promise.allSettled(asked)) {
      expect(each).toMatchObject({ reason: { code: 'internal' } });
      expect(String(each.status === 'rejected' && each.reason)).toContain('The companion cannot start');
    }
    expect(await editor.ended).toBe(1);
    expect(editor.stderr).toContain('the companion cannot start');
    expect(editor.stderr).not.toMatch(/\n\s+at /);
  });

  it('ends when its editor is killed, keeps what was typed, and the next one continues [EDT-20]', async () => {
    const editor = await start({ hasParent: true });
    await typeInto(editor);
    editor.child.kill('SIGKILL');
    await expect.poll(() => isAlive(editor.pid), { timeout: 10_000 }).toBe(false);
    expect(leftovers()).toEqual([]);
    expect(journal()).toContain(JSON.stringify(typed));
    const next = await start();
    expect(await interrupted(next)).toContain('"isEdited":true');
  });

  it('is continued by the next one after SIGKILL, also while another window has the same folder [EDT-21]', async () => {
    const [killed, other] = await Promise.all([start(), start({ framing: 'lines' })]);
    expect(killed.environment.GEMINI_CLI_IDE_SERVER_PORT).not.toBe(
      other.environment.GEMINI_CLI_IDE_SERVER_PORT,
    );
    await typeInto(killed);
    await expect.poll(journal).toContain(JSON.stringify(typed));
    killed.child.kill('SIGKILL');
    await killed.ended;
    const next = await start();
    expect(await interrupted(other)).not.toContain('isEdited');
    expect(await interrupted(next)).toContain('"isEdited":true');
    // The port is that of the killed one, so that its agent reconnects.
    expect(next.environment.GEMINI_CLI_IDE_SERVER_PORT).toBe(killed.environment.GEMINI_CLI_IDE_SERVER_PORT);
    const [review] = JSON.parse(await interrupted(next)).interrupted;
    await next.peer.connection.request('review/apply', { id: review.id });
    expect(readFileSync(join(scratch.workspace, 'a.txt'), 'utf8')).toBe(typed);
    await next.peer.until(() => next.peer.received.some(({ method }) => method === 'file/written'));
  });

  describe('with other folders after SIGKILL', () => {
    let path: string;
    let project: string;
    let killed: EditorProcess;
    let agent: ScriptedAgent;

    /** The editor opens a second project, in which an agent proposes and the user types. */
    beforeEach(async () => {
      project = scratch.folder('second');
      path = join(project, 'b.txt');
      writeFileSync(path, original);
      killed = await start();
      const workspaceFolders = [scratch.workspace, project];
      await killed.peer.connection.request('workspace/changed', { workspaceFolders, isTrusted: true });
      agent = await killed.connectGemini(scratch);
      await agent.propose(path, proposed);
      await killed.peer.until(() => killed.peer.views.size > 0);
      await killed.peer.type('1', typed);
      await expect.poll(journal).toContain(JSON.stringify(typed));
      killed.child.kill('SIGKILL');
      await killed.ended;
    });
    afterEach(() => agent.client.hangUp());

    it.each(['both', 'neither'] as const)(
      'is continued by its editor, with $0 folders: the agent finds the same port, and the review is pending again [EDT-27]',
      async (which) => {
        const workspaceFolders = which === 'both' ? [scratch.workspace, project] : [scratch.folder('third')];
        const next = await start({ initialize: { workspaceFolders } });
        expect(next.port).toBe(killed.port);
        await agent.client.openStream();
        await next.peer.until(() => next.peer.views.size > 0);
        const { review } = next.peer.view('1');
        expect(review).toMatchObject({ path, content: typed });
        await next.peer.connection.request('review/accept', {
          id: review.id,
          version: review.version,
          answer: { confirmed: review.concerns.map(({ kind }) => kind) },
        });
        expect(await agent.accepted()).toBe(typed);
      },
    );

    const another = { name: 'another', displayName: 'Another Editor', version: '1', pid: 1 };

    it('is continued by another editor that has one of them [EDT-27]', async () => {
      const next = await start({ initialize: { editor: another, workspaceFolders: [project] } });
      expect(next.port).toBe(killed.port);
      expect(await interrupted(next)).toContain('"isEdited":true');
    });

    it('offers its review in another editor that adds one of them later [EDT-27]', async () => {
      const third = scratch.folder('third');
      const next = await start({ initialize: { editor: another, workspaceFolders: [third] } });
      expect(await interrupted(next)).not.toContain('isEdited');
      const workspaceFolders = [third, project];
      await next.peer.connection.request('workspace/changed', { workspaceFolders, isTrusted: true });
      await expect.poll(() => interrupted(next)).toContain('"isEdited":true');
      const [{ id }] = JSON.parse(await interrupted(next)).interrupted;
      await next.peer.connection.request('review/apply', { id });
      expect(readFileSync(path, 'utf8')).toBe(typed);
    });
  });
});

describe('several windows on one folder', () => {
  it('are chosen by the terminal, otherwise by the last use, by agents and commands [EDT-14 EDT-21]', async () => {
    const path = scratch.write('a.txt', original);
    const windows = [await start({ framing: 'lines' }), await start({ framing: 'lines' })];
    const { env, home, tmpdir } = scratch;
    const machine = { env, home, tmpdir, platform: 'linux' } as const;
    const [first, second] = windows as [EditorProcess, EditorProcess];
    const use = async ({ peer, pid }: EditorProcess, line: number): Promise<void> => {
      peer.editor.user.focus(path);
      peer.editor.user.select(path, { start: { line, character: 0 }, end: { line, character: 1 } });
      await expect.poll(async () => (await findCompanions(machine)).at(-1)?.pid).toBe(pid);
    };
    const focus = async (variables: Readonly<Record<string, string>> = {}): Promise<number> => {
      const opened = ({ peer }: EditorProcess): number =>
        peer.received.filter(({ method }) => method === 'document/open').length;
      const before = windows.map(opened);
      expect(await scratch.command(['focus', 'a.txt:2'], { env: variables })).toMatchObject({ code: 0 });
      return windows.findIndex((window, at) => opened(window) !== before[at]);
    };
    const newestLock = (): string | undefined =>
      scratch
        .discoveryFiles()
        .filter((file) => file.includes('/.claude/ide/'))
        .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
    // The second one counts as used last because it started last.
    await use(first, 0);
    expect(newestLock()).toContain(`/${first.environment.TANDEM_PORT}.lock`);
    expect(await focus()).toBe(0);
    await use(second, 2);
    expect(newestLock()).toContain(`/${second.environment.TANDEM_PORT}.lock`);
    expect(await focus()).toBe(1);
    expect(await focus(first.environment)).toBe(0);
    // Nothing is decided by a guess.
    const listed = await scratch.command(['review', 'list']);
    expect(listed.stderr).toContain(`Several companions serve ${scratch.workspace}.`);
  });
});

describe('tandem editor --check', () => {
  const driver = fileURLToPath(new URL('../../../examples/editor-plugin/check.mjs', import.meta.url));

  it('runs the contract against a plugin, and names what was left out [EDT-22]', async () => {
    const { code, stdout } = await scratch.run(['editor', '--check', process.execPath, driver]);
    expect(stdout).toContain('ok    accepts a proposal exactly, to the last character');
    expect(stdout).toContain('40 of 40 checks passed.');
    expect(stdout).toContain('does not support: type, save, setTrusted, setDiagnostics.');
    expect(code).toBe(0);
  });

  it('fails for a plugin that lacks something, and for one that does not start [EDT-22]', async () => {
    const broken = scratch.write(
      'broken.mjs',
      `import { methods } from ${JSON.stringify(driver.replace('check.mjs', 'plugin.mjs'))};
methods['document/save'] = () => true;
await import(${JSON.stringify(driver)});\n`,
    );
    const { code, stdout } = await scratch.run(['editor', '--check', process.execPath, broken]);
    expect(stdout).toContain(
      'FAIL  reports that a file that is not open was neither closed nor saved\n      Expected',
    );
    expect(code).toBe(1);
    const missing = await scratch.run(['editor', '--check', 'no-such-program']);
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no-such-program cannot be started'),
    });
    expect((await scratch.run(['editor', '--check'])).code).toBe(2);
  });
});
