import { afterEach, describe, expect, it } from 'vitest';
import { agents, type FoundAnnouncement, portIn, type RunningProtocol } from '../src/index.js';
import { connectOpencode } from './support/opencodeClient.js';
import { Stage, type StageOptions } from './support/stage.js';

const path = '/workspace/a.txt';
const secondLine = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };

let stage: Stage;
let claude: RunningProtocol;
let opencode: RunningProtocol;
afterEach(() => stage.close());

async function serve(options: StageOptions = {}): Promise<void> {
  stage = await Stage.create({ files: { [path]: 'one\ntwo\nthree\n' }, ...options });
  claude = await stage.start(agents.claude);
  opencode = await stage.start(agents.opencode);
  await stage.start(agents.kilo);
}

describe('opencode', () => {
  it("connects with Claude Code's token and no subprotocol, as a session of its own [OPC-1 OPC-3 OPC-11 CLA-67]", async () => {
    await serve();
    const client = await connectOpencode(claude);
    expect(client.socket.protocol).toBe('');
    expect(opencode.sessions()).toMatchObject([{ agent: 'opencode', client: { name: 'opencode' } }]);
    expect(claude.sessions()).toEqual([]);
    expect(opencode.token).toBeUndefined();
    await client.close();
    expect(opencode.sessions()).toEqual([]);
  });

  it.each([undefined, '', 'wrong'])('is refused with the token %j [OPC-2 CLA-67]', async (token) => {
    await serve();
    const { url } = claude;
    const opening = connectOpencode(token === undefined ? { url } : { url, token });
    await expect(opening).rejects.toThrow('400');
    expect(opencode.sessions()).toEqual([]);
  });

  it('is refused while Claude Code is not served [OPC-10]', async () => {
    await serve();
    const { token, url } = claude;
    claude.stop();
    await expect(connectOpencode({ url, token: token ?? '' })).rejects.toThrow('400');
  });

  it('receives the selection at once, with the first line as 1 [OPC-4 OPC-6]', async () => {
    await serve();
    stage.editor.user.focus(path);
    stage.editor.user.select(path, secondLine);
    stage.settle();
    const client = await connectOpencode(claude);
    expect((await client.next('selection_changed')).params).toEqual({
      text: 'two',
      filePath: path,
      selection: { start: { line: 2, character: 0 }, end: { line: 2, character: 3 } },
    });
  });

  it('receives each change, and empty texts instead of nulls when no file is active [OPC-7]', async () => {
    await serve();
    const client = await connectOpencode(claude);
    const { params: empty } = await client.next('selection_changed');
    stage.editor.user.focus(path);
    stage.settle();
    expect((await client.next('selection_changed')).params.filePath).toBe(path);
    stage.policy.pause();
    expect((await client.next('selection_changed')).params).toEqual(empty);
    const nowhere = { line: 0, character: 0 };
    expect(empty).toEqual({ text: '', filePath: '', selection: { start: nowhere, end: nowhere } });
  });

  it.each([
    ['lines', { first: 0, last: 2 }, { lineStart: 1, lineEnd: 3 }],
    ['a whole file', undefined, { lineStart: 1, lineEnd: 1 }],
  ])('receives a mention of %s with two line numbers [OPC-5]', async (_what, lines, expected) => {
    await serve();
    const client = await connectOpencode(claude);
    await client.next('selection_changed');
    expect(await opencode.mention?.(path, lines)).toBe(1);
    expect((await client.next('at_mentioned')).params).toEqual({ filePath: path, ...expected });
  });

  it('is offered no tools [OPC-11]', async () => {
    await serve();
    const client = await connectOpencode(claude);
    expect((await client.request('tools/list')).result).toEqual({ tools: [] });
  });
});

describe('the variable that selects a companion', () => {
  it('is a number for Claude Code, and no port for opencode and Kilo CLI [OPC-9]', async () => {
    await serve();
    const { port } = stage.listener;
    const value = claude.environment().CLAUDE_CODE_SSE_PORT ?? '';
    expect([Number(value), portIn(value)]).toEqual([port, port]);
    expect(Number.parseInt(value, 10)).toBe(0);
    expect(opencode.environment()).toEqual({ CLAUDE_CODE_SSE_PORT: value });
  });
});

describe('the choice of opencode', () => {
  const { choose } = agents.opencode.diagnosis;
  const file = (port: number, folder: string, more: Partial<FoundAnnouncement> = {}): FoundAnnouncement => ({
    path: `/home/ann/.claude/ide/${port}.lock`,
    modifiedAt: port,
    announcement: { address: { port }, folders: [folder], opensGate: true },
    realFolders: [folder],
    isPidAlive: true,
    isAnswering: true,
    isRead: true,
    ...more,
  });
  const chosen = (files: readonly FoundAnnouncement[], env: Record<string, string> = {}) =>
    choose(files, { cwd: '/w/sub/deep', env, platform: 'linux' });

  it('is the file with the deepest folder, then the newest one [OPC-8]', () => {
    const files = [file(1, '/w'), file(2, '/w/sub'), file(3, '/w/sub'), file(4, '/w'), file(5, '/other')];
    expect(chosen(files)).toEqual({
      kind: 'file',
      path: files[2]?.path,
      isByItself: true,
      rivals: [files[1]?.path],
    });
  });

  it('does not depend on the process, and reads no other folder [OPC-8]', () => {
    expect(chosen([file(1, '/w', { isPidAlive: false, isAnswering: false })]).kind).toBe('file');
    expect(chosen([file(1, '/w', { path: '/home/ann/work/ide/1.lock' })])).toEqual({ kind: 'none' });
  });

  it.each(['CLAUDE_CODE_SSE_PORT', 'OPENCODE_EDITOR_SSE_PORT'])(
    'is the port in %s, without a token, unless it is spelled for Claude Code alone [OPC-9]',
    (name) => {
      const files = [file(5000, '/w')];
      expect(chosen(files, { [name]: '5000' })).toEqual({ kind: 'environment', port: 5000, tokenless: name });
      expect(chosen(files, { [name]: '0.5000e4' }).kind).toBe('file');
    },
  );
});

describe("a file that Claude Code's settings exclude", () => {
  it.each(['settings.json', 'settings.local.json'])(
    'in %s is not shown to a program with its token that offers no subprotocol [OPC-16]',
    async (name) => {
      const settings = JSON.stringify({ permissions: { deny: ['Read(./secret.txt)'] } });
      const [secret, open] = ['/workspace/secret.txt', '/workspace/open.txt'];
      await serve({ files: { [secret]: 'sesame\n', [open]: '', [`/workspace/.claude/${name}`]: settings } });
      stage.editor.user.focus(secret);
      stage.settle();
      const client = await connectOpencode(claude);
      expect((await client.next('selection_changed')).params).toMatchObject({ text: '', filePath: '' });
      stage.editor.user.focus(open);
      stage.settle();
      expect((await client.next('selection_changed')).params.filePath).toBe(open);
      expect(await opencode.mention?.(secret)).toBe(0);
    },
  );
});

describe('a file that a .kilocodeignore file lists', () => {
  it.each(['opencode', 'kilo'] as const)('is hidden from %s [OPC-12]', async (agent) => {
    await serve({ files: { [path]: '', '/workspace/.kilocodeignore': 'a.txt\n' } });
    expect((await stage.policy.verdict(agents[agent].identity, path)).isShared).toBe(false);
  });
});
