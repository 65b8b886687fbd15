import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';

const plugin = new URL('../../../examples/editor-plugin/plugin.mjs', import.meta.url);

it('prints an error without an id, and continues', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  const { connect } = await import(plugin.href);
  const stdout = new PassThrough();
  const connected = connect({ stdin: new PassThrough(), stdout }, '/folder');
  const answer = (members: object) => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...members })}\n`);
  answer({ id: null, error: { code: -32700, message: 'A message is not valid JSON.' } });
  answer({ id: 0, result: { protocolVersion: 2 } });
  expect(await connected).toEqual({ protocolVersion: 2 });
  expect(print).toHaveBeenCalledWith('A message is not valid JSON.');
  print.mockRestore();
});
