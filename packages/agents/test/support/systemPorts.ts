import { readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import type { AgentProtocol } from '../../src/index.js';
import { Stage } from './stage.js';

/** Ten starts of an agent's server: each binds port 0 of 127.0.0.1 and is served at a port from the system's own range. */
export async function expectSystemPorts(protocol: AgentProtocol): Promise<void> {
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  const { first, last } = ephemeralPorts();
  for (let start = 0; start < 10; start += 1) {
    listen.mockClear();
    const stage = await Stage.create();
    onTestFinished(() => stage.close());
    const { url } = await stage.start(protocol);
    expect(listen.mock.calls.map(([port, host]: readonly unknown[]) => [port, host])).toEqual([
      [0, '127.0.0.1'],
    ]);
    const port = Number(new URL(url).port);
    expect(port).toBeGreaterThanOrEqual(first);
    expect(port).toBeLessThanOrEqual(last);
  }
}

/** The ports that the system assigns. Only Linux says which. */
function ephemeralPorts(): { readonly first: number; readonly last: number } {
  if (process.platform !== 'linux') return { first: 1024, last: 65_535 };
  const [first = 0, last = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .trim()
    .split(/\s+/)
    .map(Number);
  return { first, last };
}
