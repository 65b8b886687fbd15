import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mentionLimitMs, reconnectMs } from '../src/copilot/client.js';
import { socketPathsOf } from '../src/copilot/discovery.js';
import { agents, type RunningProtocol } from '../src/index.js';
import { CopilotClient } from './support/copilotClient.js';
import { jsonOf } from './support/rpc.js';
import { Stage } from './support/stage.js';

const path = '/workspace/a.ts';
const tab = '[Copilot CLI] - a.ts (c0ffee)';

let stage: Stage;
let running: RunningProtocol;
let machine: { tmpdir: string };
const opened: string[] = [];
const closed: string[] = [];

beforeEach(async () => {
  machine = { tmpdir: mkdtempSync(join(tmpdir(), 'copilot-')) };
  stage = await Stage.create({ files: { [path]: 'one\ntwo\n' }, machine });
  running = await stage.start(agents.copilot);
  opened.length = 0;
  closed.length = 0;
  running.onDidOpenSession(({ id }) => opened.push(id));
  running.onDidCloseSession(({ id }) => closed.push(id));
});

afterEach(() => stage.close());

describe('the socket of Copilot CLI', () => {
  it('is private, and is removed at the stop with its empty folder [COP-1]', async () => {
    expect(statSync(running.url).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(running.url)).mode & 0o777).toBe(0o700);
    running.stop();
    expect(existsSync(dirname(running.url))).toBe(false);
  });

  it.each([
    ['a wrong token', { authorization: 'Nonce 00000000-0000-0000-0000-000000000000' }, 401],
    ['no token', { authorization: '' }, 401],
    ['the token with another scheme', { authorization: 'Bearer TOKEN' }, 401],
    ['a foreign host', { host: 'evil.example' }, 403],
    ['a host with a port', { host: 'localhost:80' }, 403],
    ['an origin', { origin: 'http://localhost' }, 403],
  ])('refuses %s [COP-2]', async (_what, headers, status) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', running.token ?? '')]),
    );
    const response = await new CopilotClient(running).send('GET', sent);
    response.resume();
    expect(response.statusCode).toBe(status);
  });

  it('is the only place where its token is valid [COP-2]', async () => {
    const { port } = stage.listener;
    const answer = await fetch(`http://127.0.0.1:${port}/identity`, {
      headers: { authorization: `Bearer ${running.token}` },
    });
    expect(answer.status).toBe(401);
  });

  it('is not taken from a program that answers, and other agents are served all the same [COP-3]', async () => {
    const other = await Stage.create({ machine });
    const socket = running.url.replace(/\d+\.sock$/, `${other.listener.port}.sock`);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const refused = await other.start(agents.copilot);
    expect(refused.discovery()).toEqual([]);
    expect(other.problems).toEqual(['Copilot CLI cannot be served']);
    expect(refused.problem?.()).toContain('in use by another program');
    expect(existsSync(socket)).toBe(true);
    server.close();
    await other.close();
  });

  it('replaces one that a killed companion has left [COP-3]', async () => {
    const other = await Stage.create({ machine });
    const socket = running.url.replace(/\d+\.sock$/, `${other.listener.port}.sock`);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${socket}.1`, resolve));
    // Under a second name, the socket survives the end of its server.
    linkSync(`${socket}.1`, socket);
    await new Promise((resolve) => server.close(resolve));
    const next = await other.start(agents.copilot);
    expect(next.discovery()).toHaveLength(1);
    await CopilotClient.connect(next);
    await other.close();
  });

  it('does not replace a file that is no socket [COP-3]', async () => {
    const other = await Stage.create({ machine });
    const socket = running.url.replace(/\d+\.sock$/, `${other.listener.port}.sock`);
    writeFileSync(socket, 'not a socket');
    expect((await other.start(agents.copilot)).discovery()).toEqual([]);
    expect(readFileSync(socket, 'utf8')).toBe('not a socket');
    await other.close();
  });

  it('is in /tmp if the temporary folder has a long name [COP-1]', async () => {
    const long = join(machine.tmpdir, 'x'.repeat(80));
    mkdirSync(long);
    const other = await Stage.create({ machine: { tmpdir: long } });
    const { url } = await other.start(agents.copilot);
    expect(url).toMatch(/^\/tmp\/tandem-[0-9a-f]{12}\/copilot-\d+\.sock$/);
    await other.close();
    expect(existsSync(dirname(url))).toBe(false);
  });
});

describe('the connections of one process', () => {
  it('are one session: it is announced once, and survives a reconnection [COP-4 COP-5]', async () => {
    const client = await CopilotClient.connect(running);
    for (let turn = 0; turn < 3; turn += 1) {
      await client.disconnect();
      await stage.clock.whenSet(reconnectMs);
      stage.clock.advance(reconnectMs - 1);
      await client.connect();
    }
    expect(opened).toHaveLength(1);
    expect(closed).toEqual([]);
    expect(running.sessions()).toMatchObject([{ id: opened[0], pid: 54_321, agent: 'copilot' }]);
    await client.disconnect();
    await stage.clock.whenSet(reconnectMs);
    stage.clock.advance(reconnectMs);
    expect(closed).toEqual(opened);
  });

  it('are distinguished from those of another process [COP-4]', async () => {
    await CopilotClient.connect(running);
    await CopilotClient.connect(running, { pid: 2 });
    await CopilotClient.connect(running, { session: 'b7' });
    expect(opened).toHaveLength(3);
  });

  it('replace each other without an end in between [COP-4]', async () => {
    const client = await CopilotClient.connect(running);
    await client.connect();
    expect(opened).toHaveLength(1);
    stage.clock.advance(reconnectMs);
    expect(closed).toEqual([]);
    expect(await running.mention?.(path)).toBe(1);
    await client.next('add_file_reference');
  });

  it('carry a mention once, also between two of them [COP-6]', async () => {
    const client = await CopilotClient.connect(running);
    await client.disconnect();
    await stage.clock.whenSet(reconnectMs);
    const mentioned = running.mention?.(path, { first: 1, last: 2 });
    await client.connect();
    expect(await mentioned).toBe(1);
    expect((await client.next('add_file_reference')).params).toEqual({
      filePath: path,
      fileUrl: `file://${path}`,
      selection: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
      selectedText: null,
    });
    await client.connect();
    expect(await running.mention?.(path)).toBe(1);
    expect((await client.next('add_file_reference')).params.selection).toBeNull();
    expect(client.notifications.filter(({ method }) => method === 'add_file_reference')).toEqual([]);
  });
});

it('waits for a stream only for a time before a mention is not sent [COP-6]', async () => {
  await new CopilotClient(running).initialize();
  const mentioned = running.mention?.(path);
  await stage.clock.whenSet(mentionLimitMs);
  stage.clock.advance(mentionLimitMs);
  expect(await mentioned).toBe(0);
});

describe('the context', () => {
  it('is the active file with its selection, to each new connection [COP-7]', async () => {
    const client = await CopilotClient.connect(running);
    const { user } = stage.editor;
    user.focus(path);
    user.select(path, { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } });
    stage.settle();
    const expected = {
      text: 'two',
      filePath: path,
      fileUrl: `file://${path}`,
      selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 }, isEmpty: false },
    };
    expect((await client.next('selection_changed')).params).toEqual(expected);
    await client.connect();
    expect((await client.next('selection_changed')).params).toEqual(expected);
    expect(jsonOf(await client.call('get_selection'))).toEqual({ ...expected, current: true });
    stage.policy.pause();
    const { params: cleared } = await client.next('selection_changed');
    expect(cleared).toMatchObject({ text: '', filePath: '', fileUrl: '' });
    expect(jsonOf(await client.call('get_selection'))).toBeNull();
  });
});

describe('a proposal of Copilot CLI', () => {
  it.each([
    ['accepted', 'SAVED'],
    ['rejected', 'REJECTED'],
  ] as const)('that is %s is answered once with %s [COP-8]', async (kind, result) => {
    const client = await CopilotClient.connect(running);
    const answer = client.openDiff(path, 'one\n2\n', tab);
    const review = await stage.editor.whenShown();
    expect(review.proposal).toMatchObject({ path, content: 'one\n2\n', title: tab, writesOwnText: true });
    if (kind === 'accepted') review.accept();
    else review.reject();
    expect(jsonOf(await answer)).toMatchObject({
      success: true,
      result,
      trigger: `${kind}_via_button`,
      message: `The user ${kind} the change.`,
    });
    expect(jsonOf(await client.call('close_diff', { tab_name: tab }))).toMatchObject({
      already_closed: true,
    });
  });

  it('shows the file that a path through a missing folder means', async () => {
    const client = await CopilotClient.connect(running);
    const answer = client.openDiff('/workspace/missing/../a.ts', 'one\n2\n', tab);
    const review = await stage.editor.whenShown();
    expect([review.proposal.path, review.original.kind]).toEqual([path, 'text']);
    review.accept();
    expect(jsonOf(await answer)).toMatchObject({ result: 'SAVED' });
  });

  it('is withdrawn when the user decides in the terminal [COP-9]', async () => {
    const client = await CopilotClient.connect(running);
    const answer = client.openDiff(path, 'one\n2\n', tab);
    const review = await stage.editor.whenShown();
    stage.clock.advance(1_000);
    const closing = jsonOf(await client.call('close_diff', { tab_name: tab }));
    expect(closing).toMatchObject({ success: true, already_closed: false, tab_name: tab });
    expect(closing.message).toBeTypeOf('string');
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'agent' });
    expect((await answer).result.isError).toBe(true);
  });

  it('is left to the terminal if the editor withdraws it [COP-10]', async () => {
    const client = await CopilotClient.connect(running);
    const answer = client.openDiff(path, 'one\n2\n', tab);
    (await stage.editor.whenShown()).withdraw('not-shown');
    expect((await answer).result.isError).toBe(true);
  });

  it('continues with the edits of the user after a reconnection, which opens it several times [COP-11]', async () => {
    const client = await CopilotClient.connect(running);
    const broken = new AbortController();
    client.openDiff(path, 'one\n2\n', 'tab 1', broken.signal).catch(() => undefined);
    const review = await stage.editor.whenShown();
    review.edit('one\n2\nmine\n');
    broken.abort();
    await client.connect();
    const lost = client.openDiff(path, 'one\n2\n', 'tab 2');
    // Answered after the diff is open: the requests of one session keep their order.
    await client.call('close_diff', { tab_name: 'tab 2' });
    const answer = client.openDiff(path, 'one\n2\n', 'tab 3');
    await client.call('close_diff', { tab_name: 'tab 2' });
    stage.clock.advance(1_000);
    expect(stage.reviews.pending).toEqual([review]);
    review.accept();
    expect(jsonOf(await answer).result).toBe('SAVED');
    expect(jsonOf(await lost).result).toBe('SAVED');
  });

  it('gets the decision of which the answer was lost [COP-11]', async () => {
    const client = await CopilotClient.connect(running);
    const broken = new AbortController();
    client.openDiff(path, 'one\n2\n', 'tab 1', broken.signal).catch(() => undefined);
    const review = await stage.editor.whenShown();
    await client.disconnect();
    await stage.clock.whenSet(reconnectMs);
    broken.abort();
    review.reject();
    await client.connect();
    expect(jsonOf(await client.openDiff(path, 'one\n2\n', 'tab 2')).result).toBe('REJECTED');
    expect(review.isAnswered).toBe(true);
    const again = client.openDiff(path, 'one\n2\n', 'tab 3');
    const next = await stage.editor.whenShown((each) => each !== review);
    next.accept();
    expect(jsonOf(await again).result).toBe('SAVED');
  });

  it('is asked again if the user decided in the terminal and a decision here was lost [COP-9]', async () => {
    const client = await CopilotClient.connect(running);
    const broken = new AbortController();
    client.openDiff(path, 'one\n2\n', 'tab 1', broken.signal).catch(() => undefined);
    const review = await stage.editor.whenShown();
    await client.disconnect();
    await stage.clock.whenSet(reconnectMs);
    broken.abort();
    review.accept();
    await client.connect();
    stage.clock.advance(1_000);
    await client.call('close_diff', { tab_name: 'tab 1' });
    const again = client.openDiff(path, 'one\n2\n', 'tab 2');
    (await stage.editor.whenShown((each) => each !== review)).reject();
    expect(jsonOf(await again).result).toBe('REJECTED');
  });

  it('is withdrawn when its process has ended [COP-5]', async () => {
    const client = await CopilotClient.connect(running);
    const broken = new AbortController();
    client.openDiff(path, 'one\n2\n', tab, broken.signal).catch(() => undefined);
    const review = await stage.editor.whenShown();
    broken.abort();
    client.breakStream();
    await stage.clock.whenSet(reconnectMs);
    expect(review.state).toBe('pending');
    stage.clock.advance(reconnectMs);
    expect(review.outcome).toEqual({ kind: 'withdrawn', reason: 'disconnected' });
  });

  it('that was refused for now can be made again [COP-11]', async () => {
    const client = await CopilotClient.connect(running);
    for (let count = 0; count < 200; count += 1) {
      void client.openDiff(path, `${count}`, tab);
      await stage.editor.whenShown(({ proposal }) => proposal.content === `${count}`);
    }
    const refused = await client.openDiff(path, 'last', tab);
    expect(refused.result.content[0].text).toContain('within a second');
    stage.clock.advance(1_000);
    const answer = client.openDiff(path, 'last', tab);
    (await stage.editor.whenShown(({ proposal }) => proposal.content === 'last')).accept();
    expect(jsonOf(await answer).result).toBe('SAVED');
  });

  it('with a relative path is refused', async () => {
    const client = await CopilotClient.connect(running);
    expect((await client.openDiff('a.ts', '', tab)).result.isError).toBe(true);
  });
});

it('refuses the discovery of a later version of MCP, so that the CLI falls back [COP-12]', async () => {
  const client = new CopilotClient(running);
  const { status } = await client.post({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} });
  expect(status).toBe(400);
});

it('continues its sessions on the same socket after a restart [COP-13]', async () => {
  const client = await CopilotClient.connect(running);
  const [session] = running.sessions();
  const { token = '' } = running;
  running.stop();
  const host = { ...stage.host, before: { token, sessions: session ? [session] : [], proposals: [] } };
  const next = await agents.copilot.start(host);
  expect(next.url).toBe(running.url);
  expect(next.token).toBe(token);
  expect(await client.openStream()).toBe(200);
  expect(await next.mention?.(path)).toBe(1);
  await client.connect();
  expect(next.sessions().map(({ id }) => id)).toEqual([session?.id]);
  next.stop();
});

describe('the lock files', () => {
  it('name the socket, the nonce and the folders, and make no claim of trust [COP-14]', () => {
    const [entry, ...others] = running.discovery();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ folder: '/home/ann/.copilot/ide', isOwnFolder: true });
    expect(entry?.name).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.lock$/);
    expect(entry?.name.search(entry.namePattern)).toBe(0);
    expect(entry?.content).toEqual({
      socketPath: running.url,
      scheme: 'unix',
      headers: { Authorization: `Nonce ${running.token}` },
      pid: stage.editor.info.pid,
      timestamp: expect.any(Number),
      workspaceFolders: ['/workspace'],
      ideName: stage.editor.info.displayName,
    });
    expect(running.discovery()).toEqual([entry]);
  });

  it('are in the folder that COPILOT_HOME names, and a terminal gets it too [COP-14]', async () => {
    const other = await Stage.create({ machine: { ...machine, env: { COPILOT_HOME: '/config/copilot/' } } });
    const moved = await other.start(agents.copilot);
    expect(moved.discovery()[0]?.folder).toBe('/config/copilot/ide');
    expect(moved.environment()).toEqual({ COPILOT_HOME: '/config/copilot' });
    await other.close();
  });

  it('name a pipe on Windows [COP-14]', () => {
    const windows = { ...stage.host.machine, platform: 'win32' as const };
    const [url = ''] = socketPathsOf(windows, 4711);
    const served = { editor: stage.editor, machine: windows, port: 4711, token: 't', url };
    expect(agents.copilot.discovery.files(served)[0]?.content).toMatchObject({
      socketPath: expect.stringMatching(/^\\\\\.\\pipe\\tandem-[0-9a-f]{12}-copilot-4711$/),
      scheme: 'pipe',
    });
  });

  it('are one more for each folder in which an agent is started [COP-15]', () => {
    const { editor, host } = stage;
    const served = { editor, machine: host.machine, port: 4711, token: 't', url: '/tmp/x.sock' };
    const [main, first, second] = agents.copilot.discovery.files({
      ...served,
      startFolders: ['/workspace/one', '/workspace/two'],
    });
    expect(main).toEqual(agents.copilot.discovery.files(served)[0]);
    expect(first?.content).toEqual({ ...main?.content, workspaceFolders: ['/workspace/one'] });
    expect(second?.content.workspaceFolders).toEqual(['/workspace/two']);
    expect(new Set([main, first, second].map((entry) => entry?.name)).size).toBe(3);
  });
});

describe('how Copilot CLI chooses a companion', () => {
  const { diagnosis } = agents.copilot;
  const file = (name: string, folder: string, isAnswering = true) => ({
    path: name,
    modifiedAt: 0,
    announcement: { address: { socket: '/s' }, folders: [folder], opensGate: true },
    realFolders: [folder],
    isPidAlive: true,
    isAnswering,
    isRead: true,
  });
  const here = { cwd: '/w/sub', env: {}, platform: 'linux' as const };

  it('is by exactly its folder, and by hand around it [COP-16]', () => {
    const [around, exact, silent] = [file('a', '/w'), file('b', '/w/sub'), file('c', '/w/sub', false)];
    expect(diagnosis.choose([silent, around, exact], here)).toEqual({
      kind: 'file',
      path: 'b',
      isByItself: true,
      rivals: [],
    });
    expect(diagnosis.choose([silent, around], here)).toMatchObject({ path: 'a', isByItself: false });
    expect(diagnosis.choose([file('d', '/w/su')], here)).toEqual({ kind: 'none' });
  });

  it('depends on its settings, which also switch its diffs off [COP-17]', () => {
    expect(diagnosis.readSettings([])).toMatchObject({ isIdeModeOn: true, opensDiffs: true, offBecause: {} });
    const off = { ide: { autoConnect: false, openDiffOnEdit: false } };
    expect(diagnosis.readSettings([{}, off])).toMatchObject({
      isIdeModeOn: false,
      opensDiffs: false,
      offBecause: {
        ideMode: expect.stringContaining('autoConnect'),
        diffs: expect.stringContaining('openDiffOnEdit'),
      },
    });
    expect(diagnosis.readSettings([], undefined, { COPILOT_ALLOW_ALL: 'true' })).toMatchObject({
      opensDiffs: false,
      offBecause: { diffs: expect.stringContaining('COPILOT_ALLOW_ALL') },
    });
  });

  it('reads lock files of any companion [COP-16]', () => {
    const [entry] = running.discovery();
    expect(diagnosis.read('x.lock', entry?.content, stage.host.machine)).toEqual({
      address: { socket: running.url },
      token: running.token,
      pid: stage.editor.info.pid,
      folders: ['/workspace'],
      ideName: stage.editor.info.displayName,
      opensGate: true,
    });
    expect(diagnosis.read('x.lock', { pid: 1 }, stage.host.machine)).toBeUndefined();
  });
});

it('reports diagnostics of shared files only [COP-18]', async () => {
  const client = await CopilotClient.connect(running);
  const secret = '/workspace/.env';
  stage.files.write(secret, 'A=1');
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
  for (const each of [path, secret])
    stage.editor.user.setDiagnostics(each, [{ message: 'wrong', severity: 'error', range }]);
  const expected = [
    {
      uri: `file://${path}`,
      filePath: path,
      diagnostics: [{ message: 'wrong', severity: 'error', range }],
    },
  ];
  expect(jsonOf(await client.call('get_diagnostics'))).toEqual(expected);
  expect(jsonOf(await client.call('get_diagnostics', { uri: `file://${path}` }))).toEqual(expected);
  expect(jsonOf(await client.call('get_diagnostics', { uri: `file://${secret}` }))).toEqual([]);
  expect((await client.call('get_diagnostics', { uri: 'a.ts' })).result.isError).toBe(true);
});

it('names its session, also after a reconnection [COP-21]', async () => {
  const client = await CopilotClient.connect(running);
  expect(running.sessions()[0]).not.toHaveProperty('title');
  const named = client.call('update_session_name', { name: 'Fix the login' });
  expect(jsonOf(await named)).toEqual({ success: true });
  await client.connect();
  expect(running.sessions()).toMatchObject([{ id: opened[0], title: 'Fix the login' }]);
  await client.call('update_session_name', { name: 'x'.repeat(10_000) });
  expect(running.sessions()[0]?.title).toBe('x'.repeat(512));
});
