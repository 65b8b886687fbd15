import completion from '@bomb.sh/tab/commander';
import { agentIds } from '@tandem/companion';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CommandError, exitCode } from './exitCode.js';
import { printError } from './output.js';

declare const TANDEM_VERSION: string;

/** Runs the `tandem` command line and resolves to the process's exit code. Each command's module loads when it runs. */
export async function main(argv: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : exitCode.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (error instanceof CommandError) {
      printError(error.message);
      return error.code;
    }
    throw error;
  }
}

function createProgram(): Command {
  const program = new Command('tandem')
    .description('One companion for coding agents: they see what you look at, you review what they change.')
    .version(TANDEM_VERSION)
    .exitOverride()
    // What follows the agent's name in `tandem run` is the agent's.
    .enablePositionalOptions()
    .showHelpAfterError('Run the command with --help to see what it takes.')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .option('--companion <pid>', 'the companion that is meant, when several run (see: tandem status)')
    .addHelpText('after', exitCodeHelp);
  addServing(program);
  addReviewing(program);
  addContext(program);
  addLooking(program);
  completion(program, { completionCommandName: 'completion' });
  return program;
}

const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no companion for this folder, 4 no such review or already decided.`;

function addServing(program: Command): void {
  program
    .command('serve')
    .description('start a companion for the current folder, or for those named')
    .argument('[folder...]', 'folders to serve; the current one when left out')
    .option('--agents <names>', 'serve only these agents, such as gemini,claude', listOf)
    .option('--untrusted', 'tell agents that the workspace is not trusted')
    .option('--json', 'write one JSON object a line: "ready" first, then what happens')
    .option('--deny <pattern>', 'hold files back from agents (syntax of .gitignore; repeatable; replaces the list)', collect)
    .option('--gitignore', 'hold back what .gitignore names, too')
    .option('--record <file>', 'append every message to a file as redacted JSON lines')
    .option('--record-contents', 'keep file contents in that record (never tokens)')
    .addOption(
      new Option('--until-idle <seconds>', 'stop when no agent was connected for this long').argParser(positiveNumber),
    )
    .action(async (folders: string[], options) => {
      const { serve } = await import('./commands/serve.js');
      await serve(folders, { ...options, version: TANDEM_VERSION });
    });
  program
    .command('run')
    .description("start an agent connected to this folder's companion, which is started if there is none")
    .addArgument(new Argument('<agent>', 'which agent').choices(agentIds))
    .argument('[args...]', "the agent's own arguments")
    .passThroughOptions()
    .allowUnknownOption()
    .helpOption(false)
    .action(async (agent: string, args: string[], _options, command: Command) => {
      const { run } = await import('./commands/run.js');
      await run(agent, args, command.optsWithGlobals());
    });
  program
    .command('env')
    .description('print what another terminal (tmux, ssh, a container) must export to connect')
    .addOption(
      new Option('--shell <name>', 'the syntax; by $SHELL when left out').choices(['bash', 'zsh', 'fish', 'powershell', 'json']),
    )
    .option('--agents <names>', 'only for these agents', listOf)
    .action(async (_options, command: Command) => {
      const { env } = await import('./commands/env.js');
      await env(command.optsWithGlobals());
    });
  program
    .command('stop')
    .description('stop the companion of this folder')
    .action(async (_options, command: Command) => {
      const { stop } = await import('./commands/stop.js');
      await stop(command.optsWithGlobals());
    });
  program
    .command('demo')
    .description('a scripted agent proposes changes in a scratch folder, for you to review')
    .action(async () => {
      const { demo } = await import('./commands/demo.js');
      await demo(TANDEM_VERSION);
    });
}

function addReviewing(program: Command): void {
  const review = program.command('review').description('see and decide what agents propose').enablePositionalOptions();
  review
    .command('list')
    .description('list the reviews that wait')
    .option('--all', 'also the last ones that ended; their text is still there')
    .option('--json', 'write JSON')
    .action(async (_options, command: Command) => {
      const { listReviews } = await import('./commands/review.js');
      await listReviews(command.optsWithGlobals());
    });
  review
    .command('show')
    .description('show a review as a diff')
    .argument('[id]', 'may be left out when only one waits')
    .option('--json', 'write JSON, with the whole text')
    .option('--content', 'write the text as it stands, and nothing else')
    .action(async (id: string | undefined, _options, command: Command) => {
      const { showReview } = await import('./commands/review.js');
      await showReview(id, command.optsWithGlobals());
    });
  review
    .command('accept')
    .description('accept a review, as it stands or with your own text')
    .argument('[id]', 'may be left out when only one waits')
    .option('--content-file <file>', 'accept the content of this file instead; - for standard input')
    .option('--json', 'write JSON')
    .action(async (id: string | undefined, _options, command: Command) => {
      const { acceptReview } = await import('./commands/review.js');
      await acceptReview(id, command.optsWithGlobals());
    });
  review
    .command('reject')
    .description('reject a review')
    .argument('[id]', 'may be left out when only one waits')
    .option('--json', 'write JSON')
    .action(async (id: string | undefined, _options, command: Command) => {
      const { rejectReview } = await import('./commands/review.js');
      await rejectReview(id, command.optsWithGlobals());
    });
  review
    .command('edit')
    .description('correct the proposed text in $VISUAL or $EDITOR, without deciding yet')
    .argument('[id]', 'may be left out when only one waits')
    .action(async (id: string | undefined, _options, command: Command) => {
      const { editReview } = await import('./commands/editReview.js');
      await editReview(id, command.optsWithGlobals());
    });
  for (const [name, isKept, description] of [
    ['keep', true, 'take the proposed lines of one hunk'],
    ['drop', false, 'keep the lines of the file for one hunk'],
  ] as const) {
    review
      .command(name)
      .description(description)
      .argument('<hunk>', 'its number, from 1', positiveNumber)
      .argument('[id]', 'may be left out when only one waits')
      .option('--json', 'write JSON')
      .action(async (hunk: number, id: string | undefined, _options, command: Command) => {
        const { toggleHunk } = await import('./commands/review.js');
        await toggleHunk(id, hunk, isKept, command.optsWithGlobals());
      });
  }
}

function addContext(program: Command): void {
  program
    .command('focus')
    .description("tell agents what you look at (bind it to a key of your editor)")
    .argument('<target>', 'FILE[:LINE[:COL][-LINE[:COL]]], counted from 1')
    .option('--json', 'write JSON')
    .action(async (target: string, _options, command: Command) => {
      const { focus } = await import('./commands/focus.js');
      await focus(target, command.optsWithGlobals());
    });
  program
    .command('mention')
    .description('put a file into the prompt of Claude Code')
    .argument('<target>', 'FILE[:LINE[-LINE]], counted from 1')
    .option('--json', 'write JSON')
    .action(async (target: string, _options, command: Command) => {
      const { mention } = await import('./commands/focus.js');
      await mention(target, command.optsWithGlobals());
    });
  const share = program.command('share').description('pause and resume what agents see of your editor');
  for (const name of ['pause', 'resume'] as const) {
    share
      .command(name)
      .description(name === 'pause' ? 'share nothing, and take back what agents hold' : 'share again')
      .option('--json', 'write JSON')
      .action(async (_options, command: Command) => {
        const { setSharing } = await import('./commands/share.js');
        await setSharing(name, command.optsWithGlobals());
      });
  }
}

function addLooking(program: Command): void {
  program
    .command('status')
    .description('show what runs: companions, agents, reviews, what is shared')
    .option('--json', 'write JSON')
    .action(async (_options, command: Command) => {
      const { status } = await import('./commands/status.js');
      await status(command.optsWithGlobals());
    });
  program
    .command('trace')
    .description('show the messages between agents and the companion, redacted')
    .option('--follow', 'go on as they come')
    .action(async (_options, command: Command) => {
      const { trace } = await import('./commands/trace.js');
      await trace(command.optsWithGlobals());
    });
}

function listOf(text: string): string[] {
  return text.split(',').map((name) => name.trim()).filter((name) => name !== '');
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function positiveNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return number;
}

/** Says a failure that nobody expected in one line; the stack only to those who ask for it. */
function printUnexpected(error: unknown): void {
  printError(`tandem: ${error instanceof Error ? error.message : String(error)}`);
  if (process.env.TANDEM_DEBUG !== undefined && error instanceof Error) printError(error.stack ?? '');
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    printUnexpected(error);
    process.exitCode = exitCode.failed;
  },
);
