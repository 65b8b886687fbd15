import { type AgentId, type Companion, type CompanionEvent, type FoundCompanion, isAgentId } from '@tandem/companion';
import type { Disposable } from '@tandem/core';
import { agentCommands } from './agentCommands.js';
import { commandName, paint, print, visible } from './output.js';
import { shortPath } from './reviewText.js';
import { summaryLine, timeOf } from './statusText.js';

/**
 * What `tandem serve` shows a person: how to connect each agent, then a line for everything that happens, and on a
 * terminal a last line that always says how things stand.
 */
export class LiveStatus implements Disposable {
  readonly #companion: Companion;
  readonly #subscriptions: Disposable[];
  readonly #isTerminal = process.stdout.isTTY === true;
  #standing = '';
  #isDisposed = false;

  private constructor(companion: Companion) {
    this.#companion = companion;
    this.#subscriptions = [
      companion.onEvent((event) => this.#tell(event)),
      companion.feed.onDidChange(() => void this.#stand()),
      companion.reviews.onDidChange(() => void this.#stand()),
    ];
  }

  /** Prints the introduction and goes on until it is disposed. `rivals` serve folders in common with us. */
  static async start(companion: Companion, rivals: readonly FoundCompanion[]): Promise<LiveStatus> {
    await introduce(companion, rivals);
    const live = new LiveStatus(companion);
    await live.#stand();
    return live;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#clear();
    print('Stopped. Discovery files are removed.');
  }

  #tell(event: CompanionEvent): void {
    const line = lineOf(event, this.#companion);
    if (line === undefined) return;
    this.#clear();
    print(`${paint('dim', timeOf(Date.now()))}  ${line}`);
    void this.#stand();
  }

  async #stand(): Promise<void> {
    if (!this.#isTerminal) return;
    const status = await this.#companion.status();
    if (this.#isDisposed) return;
    this.#clear();
    this.#standing = summaryLine(status, process.cwd(), process.stdout.columns ?? 80);
    process.stdout.write(this.#standing);
  }

  #clear(): void {
    if (this.#standing === '') return;
    process.stdout.write('\r\u001b[K');
    this.#standing = '';
  }
}

async function introduce(companion: Companion, rivals: readonly FoundCompanion[]): Promise<void> {
  const { workspaceFolders, agents, isTrusted, version } = await companion.status();
  print(`${paint('bold', 'Tandem')} ${version} serves ${workspaceFolders.map(visible).join(', ')}${isTrusted ? '' : ' (not trusted)'}`);
  print();
  print('Start an agent in this folder, in any terminal:');
  for (const { id, displayName, discovery } of agents) {
    if (!isAgentId(id)) continue;
    print(`  ${displayName.padEnd(12)} ${paint('cyan', `${commandName} run ${id}`.padEnd(22))} ${otherWay(id)}`);
    for (const { file, problem } of discovery) {
      if (problem !== undefined) print(paint('yellow', `    ${file}: ${problem}`));
    }
  }
  print();
  print(`Show agents what you look at:    ${commandName} focus FILE:LINE`);
  print(`Decide what they propose:        ${commandName} review list`);
  print(`Connect a terminal elsewhere:    eval "$(${commandName} env)"`);
  for (const { pid, workspaceFolders: theirs } of rivals) {
    print();
    print(paint('yellow', `Another companion (process ${pid}) serves ${theirs.map(visible).join(', ')}. Claude Code connects to`));
    print(paint('yellow', 'neither by itself where both match; use "tandem run claude", or stop one with "tandem stop".'));
  }
  print();
}

function otherWay(agent: AgentId): string {
  const { program, connect, reviewFlags } = agentCommands[agent];
  return `or ${[program, ...reviewFlags].join(' ')}, then ${connect}`;
}

/** One line for one event; `undefined` for what has its own command. */
function lineOf(event: CompanionEvent, companion: Companion): string | undefined {
  switch (event.event) {
    case 'session.connected':
      return `${paint('green', 'connected')}  ${event.agent}  ${visible(event.client.name)} ${visible(event.client.version)}`;
    case 'session.closed':
      return `${paint('dim', 'gone')}       ${event.agent}  ${visible(event.client.name)} ${visible(event.client.version)}`;
    case 'review.opened':
      return `${paint('bold', 'review')} ${event.id}   ${event.agent}  ${shortPath(event.path, process.cwd())}   ${paint('cyan', `${commandName} review show ${event.id}`)}`;
    case 'review.decided': {
      const review = companion.reviews.get(event.id);
      const keptEdit = event.outcome === 'withdrawn' && review?.isEdited;
      return `${event.outcome.padEnd(10)} review ${event.id}${keptEdit ? `; your text is kept: ${commandName} review show ${event.id} --content` : ''}`;
    }
    case 'sharing.paused':
    case 'sharing.resumed':
      return event.event.replace('.', ' ');
    case 'trace':
      return undefined;
  }
}
