import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { agentProtocols } from '../src/agents/agents.js';
import type { Finding } from '../src/doctor/index.js';
import { diagnose } from '../src/doctor/index.js';
import { makeMachine, makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

/** A machine on which pi has settings, and programs that do this. */
function withPi(programs: Readonly<Record<string, string>>) {
  const machine = makeMachine();
  const folder = join(machine.home, 'bin');
  for (const each of [folder, join(machine.home, '.pi/agent')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(machine.home, '.pi/agent/settings.json'), '{}');
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { machine: { ...machine, env: { PATH: folder } }, folder: makeWorkspace() };
}

const [tested] = agentProtocols.pi.descriptor.testedVersions;

const ofPi = (findings: readonly Finding[]) => findings.filter(({ agent }) => agent === 'pi');

test('the doctor says that only Tandem can connect pi, until a session of it has begun', async () => {
  const { machine, folder } = withPi({});
  const { companion } = await start({ machine, folders: [folder] });
  const found = async () => diagnose({ folder, machine, command: 'npx tandem' });
  const { agents, findings } = await found();
  expect(ofPi(findings)).toMatchObject([
    { id: 'only-by-run', severity: 'note', fix: { command: 'npx tandem run pi', place: 'shell' } },
  ]);
  expect(agents.find(({ id }) => id === 'pi')?.connection).toEqual({ kind: 'nothing' });
  const pi = companion.agents.protocols.find(({ identity }) => identity.id === 'pi');
  await pi?.hooks?.answer(
    {
      pid: process.pid,
      mode: 'before',
      isInteractive: true,
      input: { event: 'session_start', session: 's1' },
    },
    { signal: new AbortController().signal, whenSent: () => undefined },
  );
  expect(ofPi((await found()).findings)).toEqual([]);
});

test('the doctor knows that hooks were added to pi for good', async () => {
  const { machine, folder } = withPi({});
  await start({ machine, folders: [folder] });
  const extensions = join(machine.home, '.pi/agent/extensions');
  mkdirSync(extensions);
  const program = join(machine.home, 'hooks/0123456789abcdef/piPlugin.mjs');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '');
  writeFileSync(join(extensions, 'tandem.js'), `import(${JSON.stringify(pathToFileURL(program).href)});\n`);
  expect(ofPi((await diagnose({ folder, machine })).findings)).toEqual([]);
});

test.each([
  ['too old for it, so that it does not even report its version', 'exit 1', 'v22.18.9', ['old-node']],
  ['too old for the version that it reports', `echo ${tested}`, 'v20.20.2', ['old-node']],
  ['new enough', `echo ${tested}`, 'v22.19.0', []],
  ['newer', 'exit 1', 'v24.0.1', []],
])('the doctor knows a Node.js that is %s', async (_what, pi, node, ids) => {
  const { machine, folder } = withPi({ pi, node: `echo ${node}` });
  const { findings } = await diagnose({ folder, machine });
  expect(ofPi(findings).map(({ id }) => id)).toEqual(ids);
});
