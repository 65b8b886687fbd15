import { describe, expect, test } from 'vitest';
import { timelineLine, timelineOf, traceReport } from '../src/trace/index.js';
import { useStages } from './support/companionStage.js';

const start = useStages();

let now = 0;
const line = (direction: 'in' | 'out', message: object, session = 's') => {
  now += 10;
  return JSON.stringify({ t: now, endpoint: 'claude', session, direction, message });
};
/** The line of each exchange, without its time of day. */
const linesOf = (lines: readonly string[]) => timelineOf(lines).map((entry) => timelineLine(entry).slice(14));

describe('the timeline of messages', () => {
  test('joins each request with its answer, in the order of the requests', () => {
    const args = { name: 'openDiff', arguments: { old_file_path: '/w/a.txt' } };
    const lines = [
      line('in', { id: 1, method: 'tools/call', params: args }),
      line('in', { id: 2, method: 'tools/list' }),
      line('out', { id: 2, result: {} }),
      line('out', { method: 'ide/contextUpdate', params: {} }),
      line('out', { id: 1, result: { content: [{ type: 'text', text: 'FILE_SAVED' }] } }),
    ];
    expect(linesOf(lines)).toEqual([
      'claude → tools/call openDiff /w/a.txt  FILE_SAVED 40 ms',
      'claude → tools/list  10 ms',
      'claude ← ide/contextUpdate',
    ]);
  });

  test('distinguishes sessions, directions and kinds of identifiers', () => {
    const lines = [
      line('in', { id: 1, method: 'a' }, 'one'),
      line('in', { id: 1, method: 'b' }, 'two'),
      line('out', { id: 1, method: 'ping' }, 'one'),
      line('in', { id: '1', method: 'c' }, 'one'),
      line('in', { id: 1, result: {} }, 'one'),
      line('out', { id: 1, result: {} }, 'two'),
    ];
    expect(linesOf(lines)).toEqual([
      'claude → a  pending',
      'claude → b  40 ms',
      'claude ← ping  20 ms',
      'claude → c  pending',
    ]);
  });

  test('marks errors of the protocol and of tools, and answers without a known request', () => {
    const lines = [
      line('in', { id: 1, method: 'x' }),
      line('out', { id: 1, error: { code: -32601, message: '<9 chars>' } }),
      line('in', { id: 2, method: 'tools/call', params: { name: 'openDiff' } }),
      line('out', { id: 2, result: { isError: true, content: [{ text: '<12 chars>' }] } }),
      line('out', { id: 99, result: {} }),
      'no JSON',
      '{"t":1}',
    ];
    expect(linesOf(lines)).toEqual([
      'claude → x  ✗ error -32601 10 ms',
      'claude → tools/call openDiff  ✗ error 10 ms',
      'claude → an answer',
    ]);
  });

  test('accepts the identifier of an answered request again', () => {
    const pair = () => [line('in', { id: 0, method: 'ping' }), line('out', { id: 0, result: {} })];
    expect(linesOf([...pair(), ...pair()])).toEqual(['claude → ping  10 ms', 'claude → ping  10 ms']);
  });
});

describe('the report for a bug', () => {
  test('has no content even if the trace does, no token, and no name of a home folder', async () => {
    const stage = await start({ tracesContents: true });
    const gemini = await stage.connect('gemini');
    const [folder = ''] = stage.editor.workspace.folders();
    await gemini.openDiff(`${folder}/a.txt`, 'what nobody else may read\n');
    const lines = stage.companion.trace.lines;
    expect(lines.join('\n')).toContain('what nobody else may read');
    const report = traceReport({ lines, status: await stage.companion.status(), home: folder });
    for (const secret of [
      folder,
      'nobody else',
      ...stage.companion.agents.connections().map(({ token }) => token),
    ])
      expect(report).not.toContain(secret);
    expect(report).toContain('gemini → tools/call openDiff ~/a.txt');
    expect(report).toContain('- Tandem 9.8.7 in Fake Editor 1.0.0\n');
    expect(report).toContain('- Gemini CLI: Gemini CLI 0.61.0, connected');
    gemini.hangUp();
  });

  test('does not name the command as the editor that it runs in', async () => {
    const stage = await start();
    const status = await stage.companion.status();
    const editor = { name: 'tandem', displayName: 'Tandem', version: '1.2.3' };
    const report = traceReport({ lines: [], status: { ...status, version: '1.2.3', editor }, home: '/' });
    expect(report).toContain('- Tandem 1.2.3\n');
  });

  test('is limited to one agent on request', async () => {
    const stage = await start();
    const clients = [await stage.connect('gemini'), await stage.connect('qwen')];
    const lines = stage.companion.trace.lines;
    const status = await stage.companion.status();
    const report = traceReport({ lines, status, home: '/', agent: 'qwen' });
    expect(report).toContain('qwen   → initialize');
    expect(report).not.toContain('gemini → ');
    for (const client of clients) client.hangUp();
  });
});
