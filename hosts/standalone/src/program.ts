import type { Command } from 'commander';
import { commandName } from './output.js';
import { addContext, addLooking } from './program/helping.js';
import { addChanges, addReviewing } from './program/reviewing.js';
import { addServing } from './program/serving.js';
import { TandemCommand } from './program/tandemCommand.js';

/**
 * The command line of `tandem`. Each command's module loads when it runs, so that a short one starts fast.
 *
 * @param wanted the only command that will run: the groups after its own are left out
 */
export function createProgram(version: string, wanted?: string): Command {
  const program = new TandemCommand('tandem')
    .description(
      'One companion for all your coding agents: they see what you work on, and you review what they change.',
    )
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    // Everything after the agent's name in `tandem run` belongs to the agent.
    .enablePositionalOptions()
    .withHiddenCompanion()
    .addHelpText('after', helpEpilogue);
  const groups: Readonly<Record<string, () => void>> = {
    'Companion and agents:': () => addServing(program, version),
    'Reviews:': () => {
      addReviewing(program);
      addChanges(program);
    },
    'What agents see:': () => addContext(program),
    'Diagnosis and help:': () => addLooking(program),
  };
  for (const [heading, addCommands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    addCommands();
    if (program.commands.some((command) => command.name() === wanted)) break;
  }
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
