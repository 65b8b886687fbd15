import { shells } from '@tandem/companion/shell';
import { Argument } from 'commander';
import type { TandemCommand } from './tandemCommand.js';

/** The commands about what agents see of the editor. */
export function addContext(program: TandemCommand): void {
  const load = () => import('../commands/focus.js');
  program
    .command('focus')
    .description('show agents a file and lines (bind it to a key in your editor)')
    .argument('<target>', 'FILE[:LINE[:COL][-LINE[:COL]]], counted from 1')
    .withJson()
    .onRun(async (options, [target]) => (await load()).focus(target, options));
  program
    .command('mention')
    .description('mention a file in the prompt of each agent that supports it')
    .argument('<target>', 'FILE[:LINE[-LINE]], counted from 1')
    .withJson()
    .onRun(async (options, [target]) => (await load()).mention(target, options));
  const share = program
    .command('share')
    .description('show what agents see; pause or resume that')
    .enablePositionalOptions()
    .helpCommand(false)
    .withHiddenJson()
    .onRun(async (options) => (await import('../commands/share.js')).showSharing(options));
  for (const [name, description] of [
    ['pause', 'share nothing, and clear what agents have received'],
    ['resume', 'share again'],
  ] as const) {
    share
      .command(name)
      .description(description)
      .withJson()
      .onRun(async (options) => (await import('../commands/share.js')).setSharing(name, options));
  }
}

/** The commands that show what is going on, and help. */
export function addLooking(program: TandemCommand): void {
  program
    .command('status')
    .description('show companions, agents, reviews and what is shared')
    .withJson()
    .onRun(async (options) => (await import('../commands/status.js')).status(options));
  program
    .command('doctor')
    .description('find out why agents do not connect in this folder, and how to fix it')
    .option('--fix', 'remove discovery files whose companion is gone')
    .option('--json', 'write JSON (described in docs/connecting.md)')
    .addHelpText('after', '\nExits with 1 if a finding is an error, otherwise with 0.')
    .onRun(async (options) => (await import('../commands/doctor.js')).doctor(options));
  program
    .command('trace')
    .description('show the messages between agents and the companion')
    .option('--follow', 'keep printing new messages')
    .option('--report', 'write a bug report, without tokens or file contents')
    .option('--json', 'write the messages as JSON lines, redacted')
    .withCompanion()
    .onRun(async (options) => (await import('../commands/trace.js')).trace(options));
  program
    .command('demo')
    .description('review changes that a scripted agent proposes in a scratch folder')
    .onRun(async () => (await import('../commands/demo.js')).demo(program.version() ?? ''));
  program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
bash:        source <(tandem completion bash)
zsh:         source <(tandem completion zsh)
fish:        tandem completion fish | source
PowerShell:  tandem completion powershell | Out-String | Invoke-Expression`,
    )
    .onRun(async (_options, [shell]) => (await import('../commands/completion.js')).completion(shell));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .onRun(async (_options, [words]) => (await import('../commands/completion.js')).complete(program, words));
}
