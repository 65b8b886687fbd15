import { agentIds, agentsWithHook, isAgentId } from '@tandem/companion/agents';
import { shells } from '@tandem/companion/shell';
import type { HookMode, WhenClosed } from '@tandem/reviews';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { numberFrom, type TandemCommand, wholeNumber } from './tandemCommand.js';

/** The commands that run a companion, and connect agents and pages to it. */
export function addServing(program: TandemCommand, version: string): void {
  program
    .command('serve')
    .description('start a companion for the current folder, or for the given folders')
    .argument('[folder...]', 'folders to serve (default: the current folder)')
    .option(
      '--agents <names>',
      `serve only these agents (${agentIds.join(', ')}), separated by commas`,
      agentsOf,
    )
    .option('--untrusted', 'report the workspace to agents as not trusted')
    .option('--json', 'write one JSON object per line: "ready" first, then events')
    .option(
      '--deny <pattern>',
      'hide files that match this pattern, in addition to the usual names of secrets (repeatable; syntax of .gitignore; a leading "!" shares matching files)',
      collect,
    )
    .option('--gitignore', 'also hide files that .gitignore excludes')
    .option('--record <file>', 'append every message to a file as redacted JSON lines')
    .option('--record-contents', 'include file contents in the recording and the trace (never tokens)')
    .option(
      '--until-idle <seconds>',
      'stop after this many seconds without a connected agent or an open page',
      wholeNumber,
    )
    .option(
      '--history-days <days>',
      'how many days to keep decided reviews and their texts; 0 keeps none (default: 7)',
      (text: string) => numberFrom(0, text),
    )
    .option(
      '--history-reviews <number>',
      'how many decided reviews to keep, with their texts (default: 1000)',
      wholeNumber,
    )
    .option(
      '--no-changes',
      'keep no copies of the files, and record what agents write without a review only if a hook names the file',
    )
    .option('--page-port <port>', 'serve the page on this port', portNumber)
    .addOption(
      new Option(
        '--when-closed <what>',
        'what happens when you close the tab of a pending review in the page: "reject" it (asks first if you edited it), "ask", or "keep" it pending',
      )
        .choices(['reject', 'ask', 'keep'] satisfies WhenClosed[])
        .default('reject' satisfies WhenClosed),
    )
    .option(
      '--claude-config-dir <folder>',
      'the configuration folder of Claude Code, instead of CLAUDE_CONFIG_DIR',
    )
    .option('--no-open', 'do not open the page in a browser')
    .option(
      '--daemon <url>',
      'connect the chat in the page to a "qwen serve" on this machine (token: QWEN_SERVER_TOKEN in the environment)',
    )
    .option('--daemon-token-file <file>', "read the daemon's token from a file, for --daemon")
    .option('--another', 'start another companion even if one already serves the folder')
    .action(async (folders: string[], options) => {
      const { serve } = await import('../commands/serve.js');
      await serve(folders, { ...options, version });
    });
  program
    .command('run')
    .description("start an agent, connected to this folder's companion, which is started if necessary")
    .usage('[options] <agent> [args...]')
    .addArgument(new Argument('<agent>', 'the agent to start').choices(agentIds))
    .argument('[args...]', "the agent's own arguments")
    .addOption(
      new Option(
        '--hooks <when>',
        'which edits wait for you, in any mode of the agent (default: before)',
      ).choices(modes),
    )
    .withCompanion()
    .passThroughOptions()
    .onRun(async (options, [agent, args]) => (await import('../commands/run.js')).run(agent, args, options));
  program
    .command('editor')
    .description("run an editor's companion; the editor's plugin starts it")
    .argument('[command...]', "with --check: the command that starts the plugin's test driver")
    .option('--check', 'start an editor, and check that its plugin does all that Tandem needs')
    .addHelpText(
      'after',
      '\nIt speaks JSON-RPC 2.0 over standard input and output, with Content-Length headers or one object per line.',
    )
    .passThroughOptions()
    .onRun(async ({ check }, [command]) =>
      (await import('../commands/editor.js')).editor({ version, ...(check && { check: command }) }),
    );
  addHook(program);
  program
    .command('page')
    .description("print the address of this folder's review page")
    .option('--open', 'open it in the browser')
    .withJson()
    .onRun(async (options) => (await import('../commands/page.js')).page(options));
  program
    .command('env')
    .description('print the environment variables that connect agents in another terminal (tmux, SSH)')
    .addOption(new Option('--shell <name>', 'the syntax (default: from $SHELL)').choices([...shells, 'json']))
    .option('--agents <names>', 'only for these agents, separated by commas', agentsOf)
    .withCompanion()
    .onRun(async (options) => (await import('../commands/env.js')).env(options));
  program
    .command('stop')
    .description('stop the companion of this folder')
    .withCompanion()
    .onRun(async (options) => (await import('../commands/stop.js')).stop(options));
}

/** As `hookModes`, which this module does not load, because each command loads it. */
const modes = ['before', 'follow', 'after', 'off'] as const satisfies readonly HookMode[];

function addHook(program: TandemCommand): void {
  const hook = program
    .command('hook')
    .description('review the edits of an agent, however it is started')
    .enablePositionalOptions()
    .helpCommand(false);
  const add = (name: string, description: string) =>
    hook
      .command(name)
      .description(description)
      .addArgument(new Argument('<agent>', 'the agent').choices(agentsWithHook))
      .option('-y, --yes', 'do not ask');
  add('install', 'add hooks to the settings of the agent; shows them and asks first')
    .addOption(
      new Option('--hooks <when>', 'which edits wait for you (default: follow)').choices([
        'before',
        'follow',
        'after',
      ] as const),
    )
    .option('--folder <folder>', 'only in this folder; may be repeated', collect)
    .onRun(async (options, [agent]) => (await import('../commands/hook.js')).installHook(agent, options));
  add('remove', 'remove the hooks from the settings of the agent').onRun(async (options, [agent]) =>
    (await import('../commands/hook.js')).removeHook(agent, options),
  );
  hook
    .command('mode')
    .description('change which edits of a running agent wait for you, until it ends')
    .addArgument(new Argument('<when>').choices(modes))
    .argument('[session]', 'the beginning of its id (default: all agents with hooks)')
    .withCompanion()
    .onRun(async (options, [when, session]) =>
      (await import('../commands/hook.js')).changeMode(when, session, options),
    );
  hook
    .command('run', { hidden: true })
    .addArgument(new Argument('<agent>').choices(agentsWithHook))
    .requiredOption('--pid <pid>')
    .onRun(async ({ pid }, [agent]) => (await import('../commands/hookRun.js')).runHook(agent, Number(pid)));
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
