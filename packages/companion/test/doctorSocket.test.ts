import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CodexClient } from '../../agents/test/support/codexClient.js';
import type { Finding } from '../src/doctor/index.js';
import { diagnose } from '../src/doctor/index.js';
import { makeMachine, makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

/** A machine on which Codex CLI has settings, and where its socket is. */
function withCodex() {
  const machine = { ...makeMachine(), env: {} };
  const path = join(machine.home, '.codex/ipc/ipc.sock');
  mkdirSync(dirname(dirname(path)));
  writeFileSync(join(machine.home, '.codex/config.toml'), 'model = "x"\n');
  return { machine, path, folder: makeWorkspace() };
}

const ofCodex = (findings: readonly Finding[]) => findings.filter(({ agent }) => agent === 'codex');

test('the doctor says that /ide was not typed, until Codex CLI has asked, and is not a session itself', async () => {
  const { machine, path, folder } = withCodex();
  const { companion } = await start({ machine, folders: [folder] });
  const { agents, findings } = await diagnose({ folder, machine });
  expect(ofCodex(findings)).toMatchObject([
    { id: 'not-asked', severity: 'note', fix: { command: '/ide', place: 'agent' } },
  ]);
  expect(agents.find(({ id }) => id === 'codex')?.connection).toEqual({
    kind: 'asks',
    socket: path,
    answer: 'tandem',
  });
  expect(companion.agents.sessions).toEqual([]);
  await CodexClient.ask(path, folder);
  expect(ofCodex((await diagnose({ folder, machine })).findings)).toEqual([]);
});

test('the doctor reports that others may write to the folder of the socket', async () => {
  const { machine, path, folder } = withCodex();
  await start({ machine, folders: [folder] });
  chmodSync(dirname(path), 0o777);
  expect(ofCodex((await diagnose({ folder, machine })).findings)).toContainEqual(
    expect.objectContaining({
      id: 'open-folder',
      fix: expect.objectContaining({ command: `chmod 700 ${dirname(path)}` }),
    }),
  );
});

test('the doctor notices that CODEX_HOME differs between the companion and the shell', async () => {
  const { machine, folder } = withCodex();
  await start({ machine, folders: [folder] });
  const env = { CODEX_HOME: join(machine.home, 'other') };
  mkdirSync(env.CODEX_HOME);
  writeFileSync(join(env.CODEX_HOME, 'config.toml'), '');
  expect(ofCodex((await diagnose({ folder, machine: { ...machine, env } })).findings)).toMatchObject([
    { id: 'elsewhere', severity: 'error', fix: { command: `export CODEX_HOME='${machine.home}/.codex'` } },
  ]);
});

test('the doctor reports a path that is too long for the socket, with the bytes and the variable', async () => {
  const { machine, folder } = withCodex();
  const env = { CODEX_HOME: join(machine.home, 'x'.repeat(100)) };
  mkdirSync(env.CODEX_HOME);
  writeFileSync(join(env.CODEX_HOME, 'config.toml'), '');
  const there = { ...machine, env };
  const { companion } = await start({ machine: there, folders: [folder] });
  const path = join(env.CODEX_HOME, 'ipc/ipc.sock');
  const { agents, findings } = await diagnose({ folder, machine: there });
  expect(ofCodex(findings)).toMatchObject([
    {
      id: 'long-socket',
      severity: 'error',
      cause: expect.stringContaining(`${path} has ${Buffer.byteLength(path)} bytes`),
      fix: { command: "export CODEX_HOME='/a/shorter/folder'" },
    },
  ]);
  expect(agents.find(({ id }) => id === 'codex')?.connection.kind).toBe('nothing');
  const status = companion.agents.status().find(({ id }) => id === 'codex');
  expect(status?.discovery[0]?.problem).toMatch(/^Codex CLI cannot be served: .*too long/);
});

test('the doctor reports another program at the socket, one that hangs, and what is no socket', async () => {
  const { machine, path, folder } = withCodex();
  mkdirSync(dirname(path), { mode: 0o700 });
  let answer: object | undefined = { resultType: 'error', error: 'no-client-found' };
  const foreign = createServer((socket) => {
    const client = CodexClient.of(socket);
    // Registers the companion, but passes nothing on.
    void client
      .next(({ method }) => method === 'initialize')
      .then(({ requestId }) =>
        client.send({ type: 'response', requestId, resultType: 'success', result: { clientId: 'me' } }),
      )
      .catch(() => undefined);
    void client
      .next(({ method }) => method === 'ide-context')
      .then(({ requestId }) => answer && client.send({ type: 'response', requestId, ...answer }))
      .catch(() => undefined);
  });
  await new Promise<void>((resolve) => foreign.listen(path, resolve));
  const { companion } = await start({ machine, folders: [folder] });
  const found = async () => ofCodex((await diagnose({ folder, machine })).findings);
  expect(await found()).toMatchObject([
    { id: 'other-socket', severity: 'warning', fix: { command: `lsof ${path}` } },
  ]);
  answer = undefined;
  expect(await found()).toMatchObject([{ id: 'other-socket', severity: 'error', files: [path] }]);
  expect(statSync(path).isSocket()).toBe(true);
  await companion.stop();
  foreign.close();
  rmSync(path, { force: true });
  writeFileSync(path, '');
  const { companion: next } = await start({ machine, folders: [folder] });
  expect((await next.status()).agents.find(({ id }) => id === 'codex')?.discovery).toMatchObject([
    { file: path, problem: expect.stringContaining('is not a socket of your user') },
  ]);
  expect(await found()).toMatchObject([{ id: 'not-written', severity: 'error' }]);
});
