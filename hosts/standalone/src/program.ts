import { shells } from '@tandem/companion/shell';
import type { ClosingMeans } from '@tandem/ui/wire';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { agentNames, isAgentId } from './agentCommands.js';
import { commandName } from './output.js';

/**
 * The command line of `tandem`. Each command's module loads when it runs, so that a short one starts fast.
 */
export function createProgram(version: string): Command {
  const program = new Command('tandem')
    .description('One companion for coding agents: they see what you look at, you review what they change.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    // What follows the agent's name in `tandem run` is the agent's.
    .enablePositionalOptions()
    .showHelpAfterError('See what it takes with --help.')
    .addOption(companionOption().hideHelp())
    .addHelpText('after', helpEpilogue);
  program.commandsGroup('Companion and agents:');
  addServing(program, version);
  program.commandsGroup('Reviews:');
  addReviewing(program);
  program.commandsGroup('What agents see:');
  addContext(program);
  program.commandsGroup('Looking and helping:');
  addLooking(program);
  // After the groups: it stands in the last one.
  return program.helpCommand('help [command]', 'show help for a command');
}

const helpEpilogue = `
Start here:
${[
  ['demo', 'see a review within a minute, without any agent'],
  ['run claude', 'start Claude Code here, connected'],
  ['focus src/app.ts:12-20', 'agents know what "this" is'],
  ['review show', `see what an agent proposes, then: ${commandName} review accept`],
  ['doctor', 'see why an agent does not connect'],
]
  .map(([words, meaning]) => `  ${`${commandName} ${words}`.padEnd(36)} ${meaning}`)
  .join('\n')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no companion for this folder, 4 no such review or already decided.
TANDEM_DEBUG=1 makes every command say more when something fails.`;

function addServing(program: Command, version: string): void {
  program
    .command('serve')
    .description('start a companion for the current folder, or for those named')
    .argument('[folder...]', 'folders to serve; the current one when left out')
    .option(
      '--agents <names>',
      `serve only these agents (${agentNames.join(', ')}), separated by commas`,
      agentsOf,
    )
    .option('--untrusted', 'tell agents that the workspace is not trusted')
    .option('--json', 'write one JSON object a line: "ready" first, then what happens')
    .option(
      '--deny <pattern>',
      'hold files back from agents, besides those with the usual names of secrets (repeatable; a pattern as in .gitignore, with "!" one that is shared after all)',
      collect,
    )
    .option('--gitignore', 'hold back what .gitignore names, too')
    .option('--record <file>', 'append every message to a file as redacted JSON lines')
    .option('--record-contents', 'keep file contents in the record and in the trace (never tokens)')
    .option(
      '--until-idle <seconds>',
      'stop when no agent was connected and no page open for this long',
      wholeNumber,
    )
    .option('--page-port <port>', 'serve the page on exactly this port', portNumber)
    .addOption(
      new Option(
        '--when-closed <what>',
        'what closing the tab of a pending review in the page means: "reject" it (after a question when you edited it), "ask", or "keep" it pending',
      )
        .choices(['reject', 'ask', 'keep'] satisfies ClosingMeans[])
        .default('reject' satisfies ClosingMeans),
    )
    .option(
      '--claude-config-dir <folder>',
      'where Claude Code has its settings and finds the companion, in place of CLAUDE_CONFIG_DIR',
    )
    .option('--no-open', 'do not open the page in the browser')
    .option(
      '--daemon <url>',
      'chat in the page with a "qwen serve" that runs on this machine (its token: QWEN_SERVER_TOKEN in the environment)',
    )
    .option('--daemon-token-file <file>', "read the daemon's token from a file, for --daemon")
    .option('--another', 'start a second companion where one serves the folder already')
    .action(async (folders: string[], options) => {
      const { serve } = await import('./commands/serve.js');
      await serve(folders, { ...options, version });
    });
  program
    .command('run')
    .description("start an agent connected to this folder's companion, which is started if there is none")
    .usage('[options] <agent> [args...]')
    .addArgument(new Argument('<agent>', 'which agent').choices(agentNames))
    .argument('[args...]', "the agent's own arguments")
    .addOption(companionOption())
    .passThroughOptions()
    .action(async (agent: string, args: string[], _options, command: Command) => {
      const { run } = await import('./commands/run.js');
      if (isAgentId(agent)) await run(agent, args, command.optsWithGlobals());
    });
  const page = program
    .command('page')
    .description("print the address of this folder's page, where you review");
  withJson(page.option('--open', 'open it in the browser')).action(async (_options, command: Command) => {
    const commands = await import('./commands/page.js');
    await commands.page(command.optsWithGlobals());
  });
  program
    .command('env')
    .description('print what another terminal (tmux, ssh) must export to connect')
    .addOption(
      new Option('--shell <name>', 'the syntax; by $SHELL when left out').choices([...shells, 'json']),
    )
    .option('--agents <names>', 'only for these agents, separated by commas', agentsOf)
    .addOption(companionOption())
    .action(async (_options, command: Command) => {
      const { env } = await import('./commands/env.js');
      await env(command.optsWithGlobals());
    });
  program
    .command('stop')
    .description('stop the companion of this folder')
    .addOption(companionOption())
    .action(async (_options, command: Command) => {
      const { stop } = await import('./commands/stop.js');
      await stop(command.optsWithGlobals());
    });
}

function addReviewing(program: Command): void {
  const review = program
    .command('review')
    .description('see and decide what agents propose')
    .enablePositionalOptions()
    .helpCommand(false)
    .addOption(companionOption().hideHelp());
  const list = review.command('list').description('list the reviews that wait');
  withJson(list.option('--all', 'also the last ones that ended; their text is still there')).action(
    async (_options, command: Command) => {
      const commands = await import('./commands/review.js');
      await commands.list(command.optsWithGlobals());
    },
  );
  const show = review.command('show').description('show a review as a diff').argument('[id]', reviewIdHelp);
  withJson(show.option('--content', 'write the text as it stands, and nothing else')).action(
    async (id: string | undefined, _options, command: Command) => {
      const commands = await import('./commands/review.js');
      await commands.show(id, command.optsWithGlobals());
    },
  );
  const accept = review
    .command('accept')
    .description('accept a review, as it stands or with your own text')
    .argument('[id]', reviewIdHelp)
    .option('--content-file <file>', 'accept the content of this file instead; - for standard input')
    .option('--overwrite', 'accept even where that undoes what came into the file since it was proposed');
  withJson(accept).action(async (id: string | undefined, _options, command: Command) => {
    const commands = await import('./commands/review.js');
    await commands.accept(id, command.optsWithGlobals());
  });
  const reject = review.command('reject').description('reject a review').argument('[id]', reviewIdHelp);
  withJson(reject).action(async (id: string | undefined, _options, command: Command) => {
    const commands = await import('./commands/review.js');
    await commands.reject(id, command.optsWithGlobals());
  });
  const update = review
    .command('update')
    .description('take what came into the file since it was proposed into a review, without deciding yet')
    .argument('[id]', reviewIdHelp)
    .option('--conflicts', 'where both changed the same lines, take both in, marked for you to choose');
  withJson(update).action(async (id: string | undefined, _options, command: Command) => {
    const commands = await import('./commands/review.js');
    await commands.update(id, command.optsWithGlobals());
  });
  const interruptedIdHelp = 'its number, as "review list" says it: i1, i2 and so on';
  const apply = review
    .command('apply')
    .description('write an interrupted review, which nobody waits for, into its file')
    .argument('<id>', interruptedIdHelp)
    .option('--conflicts', 'where both were changed, write both, marked for you to choose');
  withJson(apply).action(async (id: string, _options, command: Command) => {
    const commands = await import('./commands/review.js');
    await commands.apply(id, command.optsWithGlobals());
  });
  const discard = review
    .command('discard')
    .description('throw an interrupted review away')
    .argument('<id>', interruptedIdHelp);
  withJson(discard).action(async (id: string, _options, command: Command) => {
    const commands = await import('./commands/review.js');
    await commands.discard(id, command.optsWithGlobals());
  });
  for (const [name, isKept, description] of [
    ['keep', true, 'take the proposed lines of one hunk, without deciding yet'],
    ['drop', false, "leave the file's own lines in place of one hunk, without deciding yet"],
  ] as const) {
    const toggle = review
      .command(name)
      .description(description)
      .argument('<hunk>', 'its number, as "review show" says it', wholeNumber)
      .argument('[id]', reviewIdHelp);
    withJson(toggle).action(async (hunk: number, id: string | undefined, _options, command: Command) => {
      const { toggleHunk } = await import('./commands/review.js');
      await toggleHunk(id, hunk, isKept, command.optsWithGlobals());
    });
  }
  review
    .command('edit')
    .description('correct the proposed text in $VISUAL or $EDITOR, without deciding yet')
    .argument('[id]', reviewIdHelp)
    .addOption(companionOption())
    .action(async (id: string | undefined, _options, command: Command) => {
      const { editReview } = await import('./commands/editReview.js');
      await editReview(id, command.optsWithGlobals());
    });
}

const reviewIdHelp = 'the number of the review; may be left out when only one waits';

function addContext(program: Command): void {
  const focus = program
    .command('focus')
    .description('tell agents what you look at (bind it to a key of your editor)')
    .argument('<target>', 'FILE[:LINE[:COL][-LINE[:COL]]], counted from 1');
  withJson(focus).action(async (target: string, _options, command: Command) => {
    const commands = await import('./commands/focus.js');
    await commands.focus(target, command.optsWithGlobals());
  });
  const mention = program
    .command('mention')
    .description('put a file into the prompt of Claude Code')
    .argument('<target>', 'FILE[:LINE[-LINE]], counted from 1');
  withJson(mention).action(async (target: string, _options, command: Command) => {
    const commands = await import('./commands/focus.js');
    await commands.mention(target, command.optsWithGlobals());
  });
  const share = program
    .command('share')
    .description('pause and resume what agents see of your editor')
    .enablePositionalOptions()
    .helpCommand(false)
    .addOption(companionOption().hideHelp());
  for (const [name, description] of [
    ['pause', 'share nothing, and take back what agents hold'],
    ['resume', 'share again'],
  ] as const) {
    withJson(share.command(name).description(description)).action(async (_options, command: Command) => {
      const { setSharing } = await import('./commands/share.js');
      await setSharing(name, command.optsWithGlobals());
    });
  }
}

function addLooking(program: Command): void {
  const status = program
    .command('status')
    .description('show what runs: companions, agents, reviews, what is shared');
  withJson(status).action(async (_options, command: Command) => {
    const commands = await import('./commands/status.js');
    await commands.status(command.optsWithGlobals());
  });
  program
    .command('doctor')
    .description('say why agents do not connect in this folder, and what mends it')
    .option('--fix', 'remove discovery files that nobody is behind any more')
    .option('--json', 'write JSON (docs/connecting.md says what is in it)')
    .addHelpText('after', '\nExits with 1 when something keeps an agent from connecting, with 0 otherwise.')
    .action(async (options: { readonly fix?: boolean; readonly json?: boolean }) => {
      const commands = await import('./commands/doctor.js');
      await commands.doctor(options);
    });
  program
    .command('trace')
    .description('show the messages between agents and the companion, each request with its answer')
    .option('--follow', 'go on as they come')
    .option('--report', 'write what a bug report needs, without tokens and file contents')
    .option('--json', "write the recorder's own JSON lines, redacted")
    .addOption(companionOption())
    .action(async (_options, command: Command) => {
      const { trace } = await import('./commands/trace.js');
      await trace(command.optsWithGlobals());
    });
  program
    .command('demo')
    .description('a scripted agent proposes changes in a scratch folder, for you to review')
    .action(async () => {
      const { demo } = await import('./commands/demo.js');
      await demo(program.version() ?? '');
    });
  program
    .command('completion')
    .description('print the script that makes a shell complete this command')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText('after', '\nFor bash:  source <(tandem completion bash)')
    .action(async (shell: (typeof shells)[number]) => {
      const { completion } = await import('./commands/completion.js');
      completion(shell);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { complete } = await import('./commands/completion.js');
      await complete(program, words);
    });
}

function companionOption(): Option {
  return new Option(
    '--companion <pid>',
    `the companion that is meant, when several run (see: ${commandName} status)`,
  ).argParser(wholeNumber);
}

/** The options that most commands end with. */
function withJson(command: Command): Command {
  return command.option('--json', 'write JSON').addOption(companionOption());
}

function agentsOf(text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !isAgentId(name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`Tandem knows no agent "${unknown}". It knows ${agentNames.join(', ')}.`);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port from 1 to 65535.');
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return number;
}
