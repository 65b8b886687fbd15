import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { commandFile } from '../commandFile.js';
import { InstalledCommand } from '../installedCommand.js';
import { compare, describe, describeValue, median, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';

/** What a hook that is answered at once adds to a tool call of an agent, compared with a Node.js that does nothing. */
export async function benchHooks(scratch: Scratch): Promise<void> {
  const command = await InstalledCommand.start(scratch);
  const client = await command.control();
  const connections = await client.call('connections', {});
  const { hooks = {} } = connections.find(({ id }) => id === 'claude') ?? {};
  const env = { ...scratch.env, ...hooks, TANDEM_HOOK_MODE: 'before' };
  const program = join(dirname(commandFile()), '../dist/hook.mjs');
  const hook = [program, 'claude', 'injected', String(process.pid)];
  const input = JSON.stringify({
    session_id: 'abc',
    hook_event_name: 'UserPromptSubmit',
    prompt: 'x'.repeat(1_000),
  });
  const samples = await takeTurns(
    {
      'a hook that is answered at once': () => timed(() => runNode(hook, input, env)),
      'a hook without a companion': () =>
        timed(() => runNode(hook, input, { ...env, TANDEM_HOOK_PORT: '9' })),
      'a bare node': () => timed(() => runNode(['-e', '0'], input, scratch.env)),
    },
    { rounds: 40, warmUp: 4 },
  );
  await command.stop();
  const [answered, alone, bare] = Object.values(samples);
  if (answered === undefined || alone === undefined || bare === undefined) return;
  console.log('\na hook of an agent, from the start of its process to its end');
  for (const each of [answered, alone, bare]) console.log(describe(each));
  console.log(compare(answered, bare));
  console.log(describeValue('our own share of it', median(answered) - median(bare), 'ms', 60));
}

/** Runs Node.js with this input to its end. */
function runNode(args: readonly string[], input: string, env: Scratch['env']): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with code ${code}.`)),
    );
    // A bare Node.js does not read it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
