import { agentIds, isAgentId } from '@tandem/companion/agents';
import { shells } from '@tandem/companion/shell';
import type { CloseAction } from '@tandem/page/wire';
import { Argument, Command, InvalidArgumentError, Option, type OptionValues } from 'commander';
import { commandName } from './output.js';

/**
 * The command line of `tandem`. Each command's module loads when it runs, so that a short one starts fast.
 */
export function createProgram(version: string): Command {
  const program = new Command('tandem')
    .description(
      'One companion for all your coding agents: they see what you work on, and you review what they change.',
    )
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    // Everything after the agent's name in `tandem run` belongs to the agent.
    .enablePositionalOptions()
    .showHelpAfterError('Run it with --help for usage.')
    .addOption(companionOption().hideHelp())
    .addHelpText('after', helpEpilogue);
  program.commandsGroup('Companion and agents:');
  addServing(program, version);
  program.commandsGroup('Reviews:');
  addReviewing(program);
  addChanges(program);
  program.commandsGroup('What agents see:');
  addContext(program);
  program.commandsGroup('Diagnosis and help:');
  addLooking(program);
  // Last, so that it is in the last group.
  return program.helpCommand('help [command]', 'show help for a command');
}

const helpEpilogue = `
Examples:
${[
  ['', 'start the companion of this folder, or show it'],
  ['demo', 'try a review in a minute, without an agent'],
  ['run claude', 'start Claude Code, connected to the companion'],
  ['focus src/app.ts:12-20', 'show agents which lines you mean'],
  ['review show', `show a proposal; to accept it: ${commandName} review accept`],
  ['doctor', 'find out why an agent does not connect'],
]
  .map(([words, meaning]) => `  ${`${commandName} ${words}`.padEnd(36)} ${meaning}`)
  .join('\n')}

Exit codes: 0 success, 1 failure, 2 usage error, 3 no companion for this folder, 4 no such review, or already decided.
Set TANDEM_DEBUG=1 for more details when a command fails.`;

function addServing(program: Command, version: string): void {
  program
    .command('serve')
    .description('start a companion for the current folder, or for the given folders')
    .argument('[folder...]', 'folders to serve (default: the current folder)')
    .option(
      '--agents <names>',
      `serve only these agents (${agentIds.join(', ')}), separated by commas`,
      agentsOf,
    )
    .option('--untrusted', 'tell agents that the workspace is not trusted')
    .option('--json', 'write one JSON object per line: "ready" first, then events')
    .option(
      '--deny <pattern>',
      'hold back files that match this pattern, in addition to the usual names of secrets (repeatable; syntax of .gitignore; "!" shares matching files)',
      collect,
    )
    .option('--gitignore', 'also hold back files that .gitignore excludes')
    .option('--record <file>', 'append every message to a file as redacted JSON lines')
    .option('--record-contents', 'include file contents in the recording and the trace (never tokens)')
    .option(
      '--until-idle <seconds>',
      'stop after this time without a connected agent or an open page',
      wholeNumber,
    )
    .option(
      '--history-days <days>',
      'keep the texts of decided reviews for so long; 0 keeps none (default: 7)',
      numberOfDays,
    )
    .option(
      '--history-reviews <number>',
      'keep the texts of at most so many decided reviews (default: 1000)',
      wholeNumber,
    )
    .option('--page-port <port>', 'serve the page on this port', portNumber)
    .addOption(
      new Option(
        '--when-closed <what>',
        'what happens when you close the tab of a pending review in the page: "reject" it (asks first if you edited it), "ask", or "keep" it pending',
      )
        .choices(['reject', 'ask', 'keep'] satisfies CloseAction[])
        .default('reject' satisfies CloseAction),
    )
    .option(
      '--claude-config-dir <folder>',
      'the configuration folder of Claude Code, instead of CLAUDE_CONFIG_DIR',
    )
    .option('--no-open', 'do not open the page in the browser')
    .option(
      '--daemon <url>',
      'connect the chat in the page to a "qwen serve" on this machine (token: QWEN_SERVER_TOKEN in the environment)',
    )
    .option('--daemon-token-file <file>', "read the daemon's token from a file, for --daemon")
    .option('--another', 'start a second companion even if one already serves the folder')
    .action(async (folders: string[], options) => {
      const { serve } = await import('./commands/serve.js');
      await serve(folders, { ...options, version });
    });
  onRun(
    program
      .command('run')
      .description("start an agent, connected to this folder's companion, which is started if necessary")
      .usage('[options] <agent> [args...]')
      .addArgument(new Argument('<agent>', 'the agent to start').choices(agentIds))
      .argument('[args...]', "the agent's own arguments")
      .addOption(companionOption())
      .passThroughOptions(),
    async (options, [agent, args]) => (await import('./commands/run.js')).run(agent, args, options),
  );
  onRun(
    program
      .command('editor')
      .description("run an editor's companion; the editor's plugin starts it")
      .argument('[command...]', 'with --check: what starts the test driver of a plugin')
      .option('--check', 'start an editor, and check that its plugin does all that Tandem needs')
      .addHelpText(
        'after',
        '\nIt speaks JSON-RPC 2.0 over standard input and output, with Content-Length headers or one object per line.',
      )
      .passThroughOptions(),
    async ({ check }, [command]) =>
      (await import('./commands/editor.js')).editor({ version, ...(check && { check: command }) }),
  );
  onRun(
    withJson(
      program
        .command('page')
        .description("print the address of this folder's review page")
        .option('--open', 'open it in the browser'),
    ),
    async (options) => (await import('./commands/page.js')).page(options),
  );
  onRun(
    program
      .command('env')
      .description('print the variables that connect another terminal (tmux, ssh)')
      .addOption(
        new Option('--shell <name>', 'the syntax (default: from $SHELL)').choices([...shells, 'json']),
      )
      .option('--agents <names>', 'only for these agents, separated by commas', agentsOf)
      .addOption(companionOption()),
    async (options) => (await import('./commands/env.js')).env(options),
  );
  onRun(
    program.command('stop').description('stop the companion of this folder').addOption(companionOption()),
    async (options) => (await import('./commands/stop.js')).stop(options),
  );
}

function addReviewing(program: Command): void {
  const review = program
    .command('review')
    .description('list, show and decide reviews')
    .enablePositionalOptions()
    .helpCommand(false)
    .addOption(companionOption().hideHelp());
  const load = () => import('./commands/review.js');
  onRun(
    withJson(
      review
        .command('list')
        .description('list pending reviews')
        .option('--all', 'also list recently ended reviews, whose text is still available'),
    ),
    async (options) => (await load()).list(options),
  );
  onRun(
    withJson(
      review
        .command('show')
        .description('show a review as a diff')
        .argument('[id]', reviewIdHelp)
        .option('--content', 'print only the current text'),
    ),
    async (options, [id]) => (await load()).show(id, options),
  );
  onRun(
    withJson(
      review
        .command('accept')
        .description('accept a review, as it is or with your own text')
        .argument('[id]', reviewIdHelp)
        .option('--content-file <file>', 'accept the content of this file instead; - for standard input')
        .option(
          '--overwrite',
          'accept even if that undoes later changes to the file, or leaves conflict markers',
        )
        .option('--session <id>', decideSessionHelp)
        .option('-y, --yes', 'accept without a question, also if the file is held back from the agent'),
    ),
    async (options, [id]) => (await load()).accept(id, options),
  );
  onRun(
    withJson(
      review
        .command('reject')
        .description('reject a review')
        .argument('[id]', reviewIdHelp)
        .option('--feedback', "put your comments into the agent's prompt; you send them there")
        .option('-m, --message <text>', 'feedback on the whole change')
        .option('--session <id>', decideSessionHelp)
        .option('-y, --yes', 'reject a session without a question, also edited reviews'),
    ),
    async (options, [id]) => (await load()).reject(id, options),
  );
  const loadComments = () => import('./commands/reviewComments.js');
  onRun(
    withJson(
      review
        .command('comment')
        .description('comment on lines of a review, or on the whole change; the review stays pending')
        .argument('<id>', 'the number of the review')
        .argument('[lines]', '12, 12-15 or FILE:12-15, counted from 1 in the proposed text')
        .option('-m, --message <text>', 'the comment')
        .option('--original', 'the lines are those of the file before the change')
        .option('--edit <number>', 'replace this comment')
        .option('--remove <number>', 'remove this comment'),
    ),
    async (options, [id, lines]) => (await loadComments()).comment(id, lines, options),
  );
  onRun(
    withJson(
      review
        .command('feedback')
        .description("put your comments into the agent's prompt, without rejecting; you send them there")
        .argument('<id>', 'the number of the review')
        .option('-m, --message <text>', 'feedback on the whole change'),
    ),
    async (options, [id]) => (await loadComments()).sendFeedback(id, false, options),
  );
  onRun(
    withJson(
      review
        .command('update')
        .description('merge later changes to the file into a review, which stays pending')
        .argument('[id]', reviewIdHelp)
        .option('--conflicts', 'also merge conflicting changes, with conflict markers'),
    ),
    async (options, [id]) => (await load()).update(id, options),
  );
  const interruptedIdHelp = 'its number in "review list": i1, i2, …';
  onRun(
    withJson(
      review
        .command('apply')
        .description('write an interrupted review to its file')
        .argument('<id>', interruptedIdHelp)
        .option('--conflicts', 'also write conflicting changes, with conflict markers'),
    ),
    async (options, [id]) => (await load()).apply(id, options),
  );
  onRun(
    withJson(
      review
        .command('discard')
        .description('discard an interrupted review')
        .argument('<id>', interruptedIdHelp),
    ),
    async (options, [id]) => (await load()).discard(id, options),
  );
  for (const name of ['keep', 'drop'] as const) {
    onRun(
      withJson(
        review
          .command(name)
          .description(`${name} one hunk of the proposal; the review stays pending`)
          .usage('[options] [id] <hunk>')
          .argument('<id>', reviewIdHelp, wholeNumber)
          .argument('[hunk]', 'its number in "review show"', wholeNumber),
      ),
      async (options, [id, hunk]) => (await load()).toggleHunk([id, hunk], name === 'keep', options),
    );
  }
  onRun(
    review
      .command('edit')
      .description('edit the proposed text in $VISUAL or $EDITOR; the review stays pending')
      .argument('[id]', reviewIdHelp)
      .addOption(companionOption()),
    async (options, [id]) => (await load()).edit(id, options),
  );
}

const decideSessionHelp =
  'all pending reviews of this session (the beginning of its id is enough); asks once';
const reviewIdHelp = 'the number of the review; optional if only one is pending';

function addChanges(program: Command): void {
  const load = () => import('./commands/changes.js');
  const sessionOption = '--session <id>';
  onRun(
    withJson(
      program
        .command('changes')
        .description('show what agents changed through accepted reviews, as a diff that "git apply" accepts')
        .option(sessionOption, 'only the changes of this session (the beginning of its id is enough)')
        .option('--stat', 'only the files, with the number of lines')
        .option('--forget', 'delete the history: all decided reviews and their texts'),
    ),
    async (options) => (await load()).changes(options),
  );
  onRun(
    withJson(
      program
        .command('restore')
        .description('take back accepted changes; what was written since stays')
        .argument('[review...]', 'the numbers of accepted reviews, or of restorations: r1, r2, …')
        .option(sessionOption, 'all changes of this session')
        .option('--file <file>', 'all changes to this file')
        .option('--dry-run', 'only say what would happen')
        .option('--conflicts', 'also write conflicting changes, with conflict markers'),
    ),
    async (options, [ids]) => (await load()).restore(ids, options),
  );
}

function addContext(program: Command): void {
  const load = () => import('./commands/focus.js');
  onRun(
    withJson(
      program
        .command('focus')
        .description('show agents a file and lines (bind it to a key in your editor)')
        .argument('<target>', 'FILE[:LINE[:COL][-LINE[:COL]]], counted from 1'),
    ),
    async (options, [target]) => (await load()).focus(target, options),
  );
  onRun(
    withJson(
      program
        .command('mention')
        .description('mention a file in the prompt of each agent that supports it')
        .argument('<target>', 'FILE[:LINE[-LINE]], counted from 1'),
    ),
    async (options, [target]) => (await load()).mention(target, options),
  );
  const share = program
    .command('share')
    .description('pause or resume what agents see of your editor')
    .enablePositionalOptions()
    .helpCommand(false)
    .addOption(companionOption().hideHelp());
  for (const [name, description] of [
    ['pause', 'share nothing, and clear what agents were sent'],
    ['resume', 'share again'],
  ] as const) {
    onRun(withJson(share.command(name).description(description)), async (options) =>
      (await import('./commands/share.js')).setSharing(name, options),
    );
  }
}

function addLooking(program: Command): void {
  onRun(
    withJson(program.command('status').description('show companions, agents, reviews and what is shared')),
    async (options) => (await import('./commands/status.js')).status(options),
  );
  onRun(
    program
      .command('doctor')
      .description('find out why agents do not connect in this folder, and how to fix it')
      .option('--fix', 'remove discovery files whose companion is gone')
      .option('--json', 'write JSON (described in docs/connecting.md)')
      .addHelpText('after', '\nExits with 1 if a problem keeps an agent from connecting, otherwise with 0.'),
    async (options) => (await import('./commands/doctor.js')).doctor(options),
  );
  onRun(
    program
      .command('trace')
      .description('show the messages between agents and the companion')
      .option('--follow', 'keep printing new messages')
      .option('--report', 'write a bug report, without tokens and file contents')
      .option('--json', 'write the messages as JSON lines, redacted')
      .addOption(companionOption()),
    async (options) => (await import('./commands/trace.js')).trace(options),
  );
  onRun(
    program.command('demo').description('review changes that a scripted agent proposes in a scratch folder'),
    async () => (await import('./commands/demo.js')).demo(program.version() ?? ''),
  );
  onRun(
    program
      .command('completion')
      .description('print the completion script for a shell')
      .addArgument(new Argument('<shell>', 'the shell').choices(shells))
      .addHelpText('after', '\nFor bash:  source <(tandem completion bash)'),
    async (_options, [shell]) => (await import('./commands/completion.js')).completion(shell),
  );
  onRun(program.command('complete', { hidden: true }).argument('[words...]'), async (_options, [words]) =>
    (await import('./commands/completion.js')).complete(program, words),
  );
}

/** Runs a command with its options, global ones included, and its arguments. Commander does not type either. */
function onRun(
  command: Command,
  run: (options: OptionValues, args: Command['processedArgs']) => Promise<void>,
): void {
  command.action(() => run(command.optsWithGlobals(), command.processedArgs));
}

function companionOption(): Option {
  return new Option(
    '--companion <pid>',
    `the process of the companion, if several run (see: ${commandName} status)`,
  ).argParser(wholeNumber);
}

function withJson(command: Command): Command {
  return command.option('--json', 'write JSON').addOption(companionOption());
}

function agentsOf(text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !isAgentId(name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`There is no agent "${unknown}". Choose from ${agentIds.join(', ')}.`);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port from 1 to 65535.');
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function numberOfDays(text: string): number {
  return text === '0' ? 0 : wholeNumber(text);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return number;
}
