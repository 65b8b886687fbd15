import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstNotificationDelayMs, silentClientDelayMs } from '../src/claude/session.js';
import { agents, type RunningProtocol } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { Stage } from './support/stage.js';

const a = '/workspace/a.ts';
const b = '/workspace/b.ts';
const nowhere = { line: 0, character: 0 };

describe('the notifications to Claude Code', () => {
  let stage: Stage;
  let running: RunningProtocol;

  beforeEach(async () => {
    stage = await Stage.create({ files: { [a]: 'first\nsecond line\n', [b]: 'b\n' } });
    running = await stage.start(agents.claude);
  });

  afterEach(() => stage.close());

  /** A client that can be notified, after the delay that the CLI needs. */
  async function connected(): Promise<ClaudeClient> {
    const client = await ClaudeClient.connect(running);
    await stage.clock.whenSet(firstNotificationDelayMs);
    stage.clock.advance(firstNotificationDelayMs);
    return client;
  }

  const selection = async (client: ClaudeClient) => (await client.next('selection_changed')).params;

  it('sends the first selection 0.5 to 1 s after the answer to tools/list, not before [CLA-64]', async () => {
    expect(firstNotificationDelayMs).toBeGreaterThanOrEqual(500);
    expect(firstNotificationDelayMs).toBeLessThanOrEqual(1000);
    stage.editor.user.focus(a);
    stage.settle();
    const client = await ClaudeClient.connect(running);
    await stage.clock.whenSet(firstNotificationDelayMs);
    stage.clock.advance(firstNotificationDelayMs - 1);
    stage.editor.user.focus(b);
    await client.request('ping');
    expect(client.notifications).toEqual([]);
    stage.clock.advance(1);
    expect((await selection(client)).filePath).toBe(a);
    stage.settle();
    expect((await selection(client)).filePath).toBe(b);
  });

  it('also notifies a client that never sends tools/list [CLA-26 CLA-64]', async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    await client.initialize();
    client.notify('notifications/initialized');
    await stage.clock.whenSet(silentClientDelayMs);
    stage.clock.advance(silentClientDelayMs);
    expect((await selection(client)).filePath).toBe('');
  });

  it('notifies a client again after a late tools/list, because earlier messages may be lost [CLA-64]', async () => {
    const client = await ClaudeClient.open(running.url, running.token);
    await client.initialize();
    client.notify('notifications/initialized');
    await stage.clock.whenSet(silentClientDelayMs);
    stage.clock.advance(silentClientDelayMs);
    await selection(client);
    await client.request('tools/list');
    await stage.clock.whenSet(firstNotificationDelayMs);
    stage.editor.user.focus(a);
    stage.clock.advance(firstNotificationDelayMs - 1);
    await client.request('ping');
    expect(client.notifications).toEqual([]);
    stage.clock.advance(1);
    expect((await selection(client)).filePath).toBe(a);
    await client.request('tools/list');
    stage.editor.user.focus(b);
    stage.settle();
    expect((await selection(client)).filePath).toBe(b);
  });

  it('sends file, selected text and 0-based positions [CLA-26 CLA-27 CLA-28 CLA-29]', async () => {
    const client = await connected();
    await selection(client);
    stage.editor.user.focus(a);
    stage.editor.user.select(a, { start: { line: 0, character: 3 }, end: { line: 1, character: 6 } });
    stage.settle();
    expect(await selection(client)).toEqual({
      text: 'st\nsecond',
      filePath: a,
      selection: { start: { line: 0, character: 3 }, end: { line: 1, character: 6 } },
    });
  });

  it('sends a cursor as an empty selection with an empty text, never null [CLA-27 CLA-28 CLA-79 CLA-102]', async () => {
    const client = await connected();
    await selection(client);
    stage.editor.user.focus(a);
    stage.editor.user.select(a, { start: { line: 1, character: 2 }, end: { line: 1, character: 2 } });
    stage.settle();
    const cursor = { line: 1, character: 2 };
    expect(await selection(client)).toEqual({
      text: '',
      filePath: a,
      selection: { start: cursor, end: cursor },
    });
  });

  it('clears with empty texts when no file is active, or sharing is paused [CLA-28 CLA-79 CLA-80 CLA-102]', async () => {
    const empty = { text: '', filePath: '', selection: { start: nowhere, end: nowhere } };
    const client = await connected();
    expect(await selection(client)).toEqual(empty);
    stage.editor.user.focus(a);
    stage.settle();
    await selection(client);
    stage.editor.user.blur();
    stage.settle();
    expect(await selection(client)).toEqual(empty);
    stage.editor.user.focus(a);
    stage.settle();
    expect((await selection(client)).filePath).toBe(a);
    stage.policy.pause();
    expect(await selection(client)).toEqual(empty);
    stage.policy.resume();
    expect((await selection(client)).filePath).toBe(a);
  });

  it('sends nothing if nothing changed for it [CLA-81]', async () => {
    const client = await connected();
    await selection(client);
    stage.editor.user.focus(a);
    stage.settle();
    await selection(client);
    stage.editor.user.setTrusted(false);
    stage.settle();
    await client.request('ping');
    await stage.editor.documents.open(b);
    stage.clock.advance(silentClientDelayMs);
    await client.request('ping');
    stage.editor.user.focus(b);
    stage.settle();
    expect((await selection(client)).filePath).toBe(b);
    expect(client.notifications).toEqual([]);
  });

  it('sends at most 16 KiB of selected text [CLA-82]', async () => {
    stage.files.write('/workspace/big.ts', '\u{1f600}'.repeat(5000));
    stage.editor.user.focus('/workspace/big.ts');
    stage.editor.user.select('/workspace/big.ts', { start: nowhere, end: { line: 0, character: 10_000 } });
    stage.settle();
    expect((await selection(await connected())).text).toBe('\u{1f600}'.repeat(4096));
  });

  it('sends the selection again after a reconnect [CLA-80]', async () => {
    stage.editor.user.focus(a);
    stage.settle();
    const first = await connected();
    expect((await selection(first)).filePath).toBe(a);
    await first.close();
    expect((await selection(await connected())).filePath).toBe(a);
  });

  it('mentions a whole file, or lines of it, 0-based, without nulls [CLA-30 CLA-31 CLA-78 CLA-103]', async () => {
    const client = await connected();
    expect(await running.mention?.(a)).toBe(1);
    expect((await client.next('at_mentioned')).params).toEqual({ filePath: a });
    expect(await running.mention?.(a, { first: 0, last: 1 })).toBe(1);
    expect((await client.next('at_mentioned')).params).toEqual({ filePath: a, lineStart: 0, lineEnd: 1 });
  });

  it('delays a mention until the client can be notified [CLA-30 CLA-64]', async () => {
    expect(await running.mention?.(a)).toBe(0);
    const client = await ClaudeClient.connect(running);
    const sent = running.mention?.(a);
    await stage.clock.whenSet(firstNotificationDelayMs);
    expect(client.notifications).toEqual([]);
    stage.clock.advance(firstNotificationDelayMs);
    expect(await sent).toBe(1);
    await client.next('at_mentioned');
    const leaver = await ClaudeClient.connect(running);
    await stage.clock.whenSet(firstNotificationDelayMs);
    const sentToBoth = running.mention?.(b);
    await leaver.close();
    expect(await sentToBoth).toBe(1);
  });

  it('does not mention a hidden file [CLA-84]', async () => {
    const client = await connected();
    expect(await running.mention?.('/workspace/.env')).toBe(0);
    stage.policy.pause();
    expect(await running.mention?.(a)).toBe(0);
    stage.policy.resume();
    await running.mention?.(b);
    expect((await client.next('at_mentioned')).params.filePath).toBe(b);
    expect(client.received).not.toContain('.env');
  });

  it('sends changed diagnostics of each file, also if none are left [CLA-32 CLA-95]', async () => {
    const client = await connected();
    const range = { start: { line: 3, character: 1 }, end: { line: 3, character: 4 } };
    stage.editor.user.setDiagnostics(a, [{ message: 'no foo', severity: 'error', range }]);
    expect((await client.next('diagnostics_changed')).params).toEqual({
      uri: `file://${a}`,
      diagnostics: [{ message: 'no foo', severity: 'ERROR', range }],
    });
    stage.editor.user.setDiagnostics(a, []);
    expect((await client.next('diagnostics_changed')).params).toEqual({
      uri: `file://${a}`,
      diagnostics: [],
    });
  });

  it('sends changed diagnostics in order, even if the editor answers slowly [CLA-32]', async () => {
    const { diagnostics } = stage.editor;
    if (diagnostics === undefined) throw new Error('an editor with diagnostics was expected');
    const client = await connected();
    const real = diagnostics.get;
    let release = () => {};
    diagnostics.get = async (path) => {
      const found = await real(path);
      diagnostics.get = real;
      await new Promise<void>((resolve) => (release = resolve));
      return found;
    };
    const range = { start: nowhere, end: nowhere };
    stage.editor.user.setDiagnostics(a, [{ message: 'older', severity: 'info', range }]);
    await stage.clock.whenSet(2000);
    stage.editor.user.setDiagnostics(a, [{ message: 'newer', severity: 'info', range }]);
    await client.request('ping');
    release();
    expect((await client.next('diagnostics_changed')).params.diagnostics).toMatchObject([
      { message: 'older' },
    ]);
    expect((await client.next('diagnostics_changed')).params.diagnostics).toMatchObject([
      { message: 'newer' },
    ]);
  });

  it('continues with the next file if the editor does not answer for one [CLA-32]', async () => {
    const { diagnostics } = stage.editor;
    if (diagnostics === undefined) throw new Error('an editor with diagnostics was expected');
    const client = await connected();
    const real = diagnostics.get;
    diagnostics.get = (path) => (path === a ? new Promise(() => {}) : real(path));
    stage.editor.user.setDiagnostics(a, []);
    stage.editor.user.setDiagnostics(b, []);
    await stage.clock.whenSet(2000);
    stage.clock.advance(2000);
    expect((await client.next('diagnostics_changed')).params.uri).toBe(`file://${b}`);
    expect(stage.problems).toHaveLength(1);
  });

  it('sends diagnostics that changed during the first delay once, after the delay [CLA-32 CLA-64]', async () => {
    const client = await ClaudeClient.connect(running);
    await stage.clock.whenSet(firstNotificationDelayMs);
    const range = { start: nowhere, end: nowhere };
    stage.editor.user.setDiagnostics(a, [{ message: 'older', severity: 'info', range }]);
    stage.editor.user.setDiagnostics(a, [{ message: 'newer', severity: 'info', range }]);
    stage.clock.advance(firstNotificationDelayMs);
    expect((await client.next('diagnostics_changed')).params.diagnostics).toMatchObject([
      { message: 'newer' },
    ]);
    stage.editor.user.setDiagnostics(b, []);
    expect((await client.next('diagnostics_changed')).params.uri).toBe(`file://${b}`);
  });
});
