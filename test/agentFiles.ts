import type { AgentDescriptor } from '@tandem/agents';
import { capabilities, receivesOnly, startWords } from '@tandem/agents';

/**
 * The files that name every agent, each with a function that updates its current text from the agents' descriptors.
 * `agentFiles.test.ts` compares them and, with `-u`, writes them.
 */
export const agentFiles: readonly (readonly [path: string, write: Writer])[] = [
  ['packages/chat-panel/src/theme/agents.css', styles],
  ['hosts/vscode/package.json', manifest],
  ['hosts/vscode/package.nls.json', manifestTexts],
  ['hosts/vscode/media/walkthrough/agent.md', walkthrough],
  ['docs/agents.md', supportTables],
  ['hosts/standalone/README.md', withStarts],
];

type Agents = readonly AgentDescriptor[];
type Writer = (text: string, agents: Agents) => string;

const marks = {
  circle: [],
  diamond: ['--agent-radius: 1px', '--agent-turn: 45deg'],
  square: ['--agent-radius: 2px'],
} as const;

function styles(_text: string, agents: Agents): string {
  const colors = agents.map(
    ({ id, color: { light, dark } }) => `  --agent-${id}: light-dark(${light}, ${dark});\n`,
  );
  const marked = agents.map(({ id, mark }) => {
    const lines = [`--agent: var(--agent-${id})`, ...marks[mark]];
    return `\n[data-agent="${id}"] {\n${lines.map((line) => `  ${line};\n`).join('')}}\n`;
  });
  return `/* Colours and marks of agents, written from their descriptors by test/agentFiles.test.ts. */
:root {
${colors.join('')}}

[data-agent] {
  --agent: var(--text-muted);
  --agent-radius: 50%;
  --agent-turn: 0deg;
}
${marked.join('')}`;
}

function manifest(text: string, agents: Agents): string {
  const json = JSON.parse(text);
  const { contributes, capabilities: may } = json;
  const isStart = (command: string): boolean =>
    /tandem\.start[A-Z]/.test(command) && !/\.start(Agent|Daemon)$/.test(command);
  const ofCommand = ({ command }: { command: string }): boolean => isStart(command);
  const commands = agents.map(startCommand);
  json.keywords = [...agents.map(({ id }) => id), ...json.keywords.slice(json.keywords.indexOf('agent'))];
  const restricted = may.untrustedWorkspaces;
  restricted.restrictedConfigurations = replace(
    restricted.restrictedConfigurations,
    isSetting,
    agents.map(setting),
  );
  contributes.commands = replace(
    contributes.commands,
    ofCommand,
    commands.map((command) => ({
      command,
      title: `%${command.replace('tandem', 'command')}%`,
      category: 'Tandem',
      enablement: 'isWorkspaceTrusted',
    })),
  );
  contributes.menus.commandPalette = replace(
    contributes.menus.commandPalette,
    ofCommand,
    agents.map((agent) => ({ command: startCommand(agent), when: `config.${setting(agent)}` })),
  );
  for (const { steps } of contributes.walkthroughs) {
    for (const step of steps) {
      step.completionEvents &&= replace(
        step.completionEvents,
        isStart,
        commands.map((command) => `onCommand:${command}`),
      );
    }
  }
  const { configuration } = contributes;
  configuration.properties = Object.fromEntries(
    replace(
      Object.entries(configuration.properties),
      ([name]) => isSetting(name),
      agents.map((agent): [string, unknown] => [
        setting(agent),
        { type: 'boolean', default: true, order: 1, description: `%setting.agents.${agent.id}%` },
      ]),
    ),
  );
  configuration.properties['tandem.startCommands'].properties = Object.fromEntries(
    agents.map(({ id }) => [id, { type: 'string' }]),
  );
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

function manifestTexts(text: string, agents: Agents): string {
  const isStart = (key: string): boolean => /^command\.start(?!Agent$|Daemon$)[A-Z]/.test(key);
  const starts = agents.map((agent): [string, string] => [
    startCommand(agent).replace('tandem', 'command'),
    `Start ${agent.displayName} in a Terminal`,
  ]);
  const settings = agents.map((agent): [string, string] => {
    const { id, displayName, connectsThrough, isHookedOnly } = agent;
    const reviews = isReviewedInVSCode(agent) ? ' and review its changes' : '';
    const does = isHookedOnly
      ? 'review its changes, if Tandem starts it'
      : `share the editor context${reviews}`;
    const needs =
      connectsThrough === undefined ? '' : ` It connects only if \`tandem.agents.${connectsThrough}\` is on.`;
    return [`setting.agents.${id}`, `Serve ${displayName}: ${does}.${needs}`];
  });
  const before = Object.entries<string>(JSON.parse(text));
  const withStarts = replace(before, ([key]) => isStart(key), starts);
  const texts = Object.fromEntries(
    replace(withStarts, ([key]) => key.startsWith('setting.agents.'), settings),
  );
  const description = texts.description ?? '';
  texts.description = description.replace(/companion for .*?:/, `companion for ${listed(names(agents))}:`);
  return `${JSON.stringify(texts, undefined, 2)}\n`;
}

function walkthrough(text: string, agents: Agents): string {
  const rows = agents.map((agent) => [
    agent.displayName,
    `\`${startWords(agent).join(' ')}\``,
    connecting(agent) ?? 'it always does',
  ]);
  const careless = agents.filter(({ approvesEdits }) => approvesEdits !== undefined);
  const limited = agents.filter((agent) => !isReviewedInVSCode(agent) && !agent.isHookedOnly);
  const unreviewed = `${listed(names(limited))} see what you work on, and ask about their changes in their own terminals.`;
  const hooked = agents
    .filter(({ isHookedOnly }) => isHookedOnly)
    .map(({ displayName }) => `${displayName} needs the \`tandem\` command. It sees nothing of the editor.`);
  return withTable(text, '| Agent |', rows)
    .replace(/Without the flag, .* approve/, `Without the flag, ${listed(names(careless))} approve`)
    .replace(/(no diff opens\.\n)[\s\S]*$/, `$1\n${[unreviewed, ...hooked].join(' ')}\n`);
}

/** Whether its changes are shown for review if VS Code starts it, without `tandem run`. */
function isReviewedInVSCode({ supports }: AgentDescriptor): boolean {
  return supports.review.startsWith('yes');
}

/** What to type in an agent that did not connect. */
function connecting({ connect, remembersConnect }: AgentDescriptor): string | undefined {
  return connect === undefined ? undefined : `type \`${connect}\`${remembersConnect ? ', once' : ''}`;
}

function withStarts(text: string, agents: Agents): string {
  const rows = agents.map((agent) => [
    agent.displayName,
    `\`tandem run ${agent.id}\``,
    [`\`${startWords(agent).join(' ')}\``, connecting(agent) ?? []].flat().join(', then '),
  ]);
  return withTable(text, '| agent |', rows);
}

function supportTables(text: string, agents: Agents): string {
  const cell = ({ supports }: AgentDescriptor, key: string): string =>
    Object.entries(supports).find(([name]) => name === key)?.[1] ?? '';
  const reviewing = agents.filter((agent) => receivesOnly(agent) === undefined);
  const limited = agents.filter((agent) => !reviewing.includes(agent));
  const all = Object.entries(capabilities);
  const received = all.filter(([key]) => ['discovery', 'openFiles', 'selection', 'mention'].includes(key));
  const supported = all.map(([key, words]) => [words, ...reviewing.map((agent) => cell(agent, key))]);
  const given = limited.map((agent) => [agent.displayName, ...received.map(([key]) => cell(agent, key))]);
  const tested = agents.map(({ displayName, testedVersions }) => `${displayName} ${listed(testedVersions)}`);
  const tables: readonly (readonly [string, readonly (readonly string[])[], (readonly string[])?])[] = [
    ['| | ', supported, ['', ...names(reviewing)]],
    ...(limited.length > 0
      ? [['| context only |', given, ['context only', ...received.map(([, words]) => words)]] as const]
      : []),
  ];
  return tables
    .reduce(
      (page, [beginning, rows, head]) => withTable(page, beginning, rows, head),
      withStarts(text, agents),
    )
    .replace(
      /The tests run the real programs: .*\./,
      `The tests run the real programs: ${tested.join(', ')}.`,
    );
}

/**
 * The text with the rows, and optionally the head, of a table replaced. The table is found by the beginning of its
 * head.
 */
function withTable(
  text: string,
  beginning: string,
  rows: readonly (readonly string[])[],
  head?: readonly string[],
): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(beginning));
  if (start < 0) throw new Error(`There is no table that begins with "${beginning}".`);
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
  const table = [
    ...(head === undefined
      ? lines.slice(start, start + 2)
      : [`|${head.map((words) => ` ${words}`.trimEnd()).join(' |')} |`, `${'|---'.repeat(head.length)}|`]),
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ];
  return [...lines.slice(0, start), ...table, ...lines.slice(end)].join('\n');
}

/** The list with `fresh` instead of the replaced items, at the position of the first. */
function replace<T>(list: readonly T[], isReplaced: (item: T) => boolean, fresh: readonly T[]): T[] {
  const first = list.findIndex(isReplaced);
  if (first < 0) return [...list];
  return [...list.slice(0, first), ...fresh, ...list.slice(first).filter((item) => !isReplaced(item))];
}

function startCommand({ id }: AgentDescriptor): string {
  return `tandem.start${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

function setting({ id }: AgentDescriptor): string {
  return `tandem.agents.${id}`;
}

function isSetting(name: string): boolean {
  return name.startsWith('tandem.agents.');
}

function names(agents: Agents): string[] {
  return agents.map(({ displayName }) => displayName);
}

/** `a`, `a and b`, `a, b and c`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
