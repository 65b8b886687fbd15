import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageAddress, useOwnBrowser } from '../../src/browser.js';
import {
  expectNothingGot,
  liveProtocols,
  origins,
  type Target,
  unguardedBrowser,
} from '../../src/hostileOrigins.js';
import { serveHostilePage } from '../../src/hostilePage.js';
import { pick, pickList, pickText } from '../../src/json.js';
import { Stage } from '../../src/stage.js';

useOwnBrowser(unguardedBrowser);

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'hostile', version: '1.0.0' },
  },
});

async function listenersOf(stage: Stage): Promise<Readonly<Record<string, Target>>> {
  const gemini = stage.tandem.endpoint('gemini');
  const folder = join(stage.sandbox.state, 'tandem/companions');
  const [registration = ''] = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const control: unknown = JSON.parse(await readFile(join(folder, registration), 'utf8'));
  const page = new URL(pageAddress(stage.tandem));
  const pageToken = page.hash.slice('#key='.length);
  return {
    'the listener of the agents': {
      port: Number(new URL(gemini.url).port),
      paths: ['/mcp', '/', '/identity'],
      token: gemini.token,
      subprotocols: [[], ['mcp'], ['mcp', gemini.token]],
      body: initialize,
    },
    'the control interface': {
      port: Number(pick(control, 'port')),
      paths: ['/control/status', '/control/events', '/control/stop'],
      token: pickText(control, 'token'),
      subprotocols: [[]],
      body: '{}',
    },
    'the page': {
      port: Number(page.port),
      paths: ['/', '/api/ping', `/proof?nonce=${'a'.repeat(22)}`, '/live'],
      token: pageToken,
      subprotocols: [[], await liveProtocols(pageToken)],
      body: '{}',
    },
  };
}

describe.each(origins)('a page $what', (origin) => {
  it('gets nothing from any listener and causes nothing, even with the right token', async () => {
    const stage = await Stage.open();
    await stage.put('kept.txt', 'kept\n');
    const hostilePort = await serveHostilePage();
    const targets = await listenersOf(stage);
    for (const [name, target] of Object.entries(targets)) {
      await expectNothingGot({ name, target, origin, hostilePort });
    }

    const status = await stage.tandem.run('status', '--json');
    const [companion] = Array.isArray(status.json) ? status.json : [];
    expect(pickList(companion, 'agents').flatMap((agent) => pickList(agent, 'sessions'))).toEqual([]);
    expect(pick(companion, 'reviews')).toEqual([]);
    expect(stage.tandem.events.map(({ event }) => event)).toEqual(['ready']);
    expect(await readdir(stage.workspace)).toEqual(['kept.txt']);
    expect(await stage.read('kept.txt')).toBe('kept\n');
  }, 180_000);
});
