/** @module-tag exhaustive */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import type { CompanionClient } from '../../agents/test/support/companionClient.js';
import type { RpcMessage } from '../../agents/test/support/rpc.js';
import { CrashSite } from './support/crashSite.js';

const agents = ['gemini', 'qwen', 'claude'] as const;
const steps = ['before it is shown', 'while it is edited', 'while deciding', 'after the answer'] as const;
const faults = [
  'none',
  'agent dies',
  'withdrawn late',
  'withdrawn twice',
  'answers twice',
  'decided twice',
  'flood',
  'half-open',
] as const;
/** Another companion has to start after each crash, which takes longest. */
const crashShare = 0.08;

const original = 'one\ntwo\nthree\n';
const runs = 1_000;
/** How many workspaces run in parallel: most of a run waits for sockets and the disk. */
const workspaces = 10;
const seed = 20_261_121;

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function seeded(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One agent that proposes changes to one file, and counts the answers. */
class Proposer {
  readonly #client: ClaudeClient | CompanionClient;
  readonly #path: string;
  #call = -1;
  /** How many decisions the user was expected to make over all its proposals. */
  decisions = 0;

  constructor(client: ClaudeClient | CompanionClient, path: string) {
    this.#client = client;
    this.#path = path;
  }

  propose(content: string): void {
    if (this.#client instanceof ClaudeClient)
      this.#call = this.#client.beginOpenDiff(this.#path, content, this.#path);
    else void this.#client.openDiff(this.#path, content).catch(() => undefined);
  }

  withdraw(): void {
    if (this.#client instanceof ClaudeClient) this.#client.beginCall('close_tab', { tab_name: this.#path });
    else void this.#client.closeDiff(this.#path).catch(() => undefined);
  }

  /** Two results for one request of the companion. Claude Code receives only pings. */
  answerTwice(): void {
    const result = JSON.stringify({ jsonrpc: '2.0', id: 0, result: {} });
    if (this.#client instanceof ClaudeClient)
      for (const _ of ['one', 'two']) this.#client.socket.send(result);
    else void this.#client.notify('notifications/initialized').catch(() => undefined);
  }

  /** Disconnects without a message, like a process that is killed. */
  die(): void {
    if (this.#client instanceof ClaudeClient) this.#client.socket.terminate();
    else this.#client.hangUp();
  }

  /** Stops reading and keeps its connection open. */
  hang(): void {
    if (this.#client instanceof ClaudeClient) this.#client.socket.pause();
  }

  /** An HTTP client that survived the companion opens its stream again. */
  async comeBack(): Promise<boolean> {
    if (this.#client instanceof ClaudeClient) return false;
    return (await this.#client.openStream()).status === 200;
  }

  /** Resolves when the answer has arrived. */
  async answered(): Promise<void> {
    const client = this.#client;
    if (client instanceof ClaudeClient) await client.answer(this.#call);
    else await client.until(() => this.answers > 0);
  }

  /** Resolves when everything sent earlier has arrived. A client that is gone receives nothing more. */
  async settle(): Promise<void> {
    const client = this.#client;
    if (!(client instanceof ClaudeClient)) await client.request('tools/list').catch(() => undefined);
    else if (client.socket.readyState === client.socket.OPEN && !client.socket.isPaused)
      await Promise.race([client.request('tools/list'), client.closed]);
  }

  /** The user's decisions that it received, over all of its streams. */
  get answers(): number {
    const client = this.#client;
    if (client instanceof ClaudeClient) return this.#results.filter(isDecision).length;
    return client.notifications.filter(
      ({ method, params }) =>
        /^ide\/diff(Accepted|Rejected)$/.test(method ?? '') && params.filePath === this.#path,
    ).length;
  }

  /** Whether a request was answered more than once, or it received more decisions than the user made. */
  get heardTooMuch(): boolean {
    const ids = this.#results.map(({ id }) => id);
    return new Set(ids).size < ids.length || this.answers > this.decisions;
  }

  /** Every answer to a request, as far as one connection carries several. */
  get #results(): RpcMessage[] {
    if (!(this.#client instanceof ClaudeClient)) return [];
    const lines = this.#client.received.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line)).filter((message) => message.method === undefined);
  }

  async end(): Promise<void> {
    if (this.#client instanceof ClaudeClient) this.#client.socket.terminate();
    else await this.#client.end();
  }
}

function isDecision({ result }: RpcMessage): boolean {
  return ['FILE_SAVED', 'DIFF_REJECTED'].includes(result?.content?.[0]?.text);
}

/** The state of a text that the user typed. */
function keptIn({ stage }: CrashSite, path: string): string[] {
  const { reviews, interrupted } = stage.companion;
  return [
    ...[...reviews.pending, ...reviews.ended]
      .filter(({ proposal }) => proposal.path === path)
      .map(({ content }) => content),
    ...interrupted.all.filter((review) => review.path === path).map(({ content }) => content),
  ];
}

/** The result of one run. */
interface Verdict {
  readonly lost: boolean;
  readonly answeredTwice: boolean;
  readonly written: boolean;
}

async function runOnce(site: CrashSite, at: number, random: () => number): Promise<Verdict> {
  const pick = <T>(values: readonly [T, ...T[]]): T =>
    values[Math.floor(random() * values.length)] ?? values[0];
  const [kind, step] = [pick(agents), pick(steps)];
  const fault = random() < crashShare ? 'crash' : pick(faults);
  const [isTyping, isAccepting] = [random() < 0.7, random() < 0.6];
  const path = site.write(`file ${at}.txt`, original);
  const typed = `typed in run ${at}\n`;
  const connected = kind === 'claude' ? await site.stage.connect(kind) : await site.stage.connect(kind);
  const proposer = new Proposer(connected, path);
  let hasTyped = false;
  let isDecided = false;
  let isRejected = false;
  let isUndelivered = false;
  const strike = async (now: (typeof steps)[number]): Promise<boolean> => {
    if (now !== step) return false;
    if (fault === 'agent dies') proposer.die();
    else if (fault === 'half-open') proposer.hang();
    else if (fault === 'withdrawn late') proposer.withdraw();
    else if (fault === 'withdrawn twice') for (const _ of ['one', 'two']) proposer.withdraw();
    else if (fault === 'answers twice') proposer.answerTwice();
    else if (fault === 'flood') for (let more = 0; more < 20; more++) proposer.propose(`proposal ${more}\n`);
    else if (fault === 'crash') {
      await site.stage.companion.journal.write();
      await site.crash();
    }
    const isGone = fault === 'agent dies' || fault === 'withdrawn late' || fault === 'withdrawn twice';
    return fault === 'crash' || (now === 'before it is shown' && isGone);
  };

  const opened = site.stage.event('review.opened', (event) => event.path === path);
  proposer.propose('proposed\n');
  let isOver = await strike('before it is shown');
  if (!isOver) {
    const { reviews } = site.stage.companion;
    const review = reviews.get((await opened).id);
    if (isTyping && review?.state === 'pending') {
      review.edit(typed);
      hasTyped = true;
    }
    isOver = await strike('while it is edited');
    isOver ||= await strike('while deciding');
    if (!isOver) {
      isDecided = (isAccepting ? review?.accept() : review?.reject()) === true;
      if (isDecided) proposer.decisions += 1;
      // The moment of a crash between the record of a decision and its answer.
      isUndelivered = isDecided && fault === 'crash' && step === 'after the answer' && random() < 0.7;
      if (isUndelivered) await site.crash(site.stage.companion.save());
      if (fault === 'decided twice') expect([review?.accept(), review?.reject()]).toEqual([false, false]);
      isRejected = isDecided && !isAccepting;
      const isReceiving =
        fault === 'none' || fault === 'decided twice' || fault === 'answers twice' || fault === 'crash';
      if (isDecided && isReceiving && !isUndelivered) await proposer.answered();
      // Wherever the crash comes, at this point it is known which agents received the decision.
      if (fault === 'crash' && review && isDecided && !isUndelivered)
        await expect.poll(() => review.isAnswered).toBe(true);
      isOver = isUndelivered || (await strike('after the answer'));
    }
  }
  // A rejected text needs no owner, and the agent is responsible for a decision that it received.
  const isOurs = hasTyped && !isRejected && proposer.answers === 0;
  const isLost = isOurs && !keptIn(site, path).includes(typed);
  if (fault === 'crash' && hasTyped && !isDecided) await afterCrash(site, path, typed, proposer, random);
  if (isUndelivered) await receiveDecision(site, path, proposer);
  else if (fault === 'crash' && isDecided) await proposer.comeBack();
  await proposer.settle();
  const answeredTwice = proposer.heardTooMuch;
  await proposer.end();
  const text = readFileSync(path, 'utf8');
  return {
    lost: isLost,
    answeredTwice,
    // Only a text that the user has applied may be in the file.
    written: text !== original && !(fault === 'crash' && text === typed),
  };
}

/** The agent returns for its decision, or the user applies the text to the file or discards it. */
async function afterCrash(
  { stage }: CrashSite,
  path: string,
  typed: string,
  proposer: Proposer,
  random: () => number,
): Promise<void> {
  const { companion } = stage;
  const isBack = await proposer.comeBack();
  if (isBack) {
    const again = await stage.event('review.opened', (event) => event.path === path);
    const review = companion.reviews.get(again.id);
    expect(review?.content).toBe(typed);
    if (review?.accept()) proposer.decisions += 1;
    return proposer.answered();
  }
  const entries = companion.interrupted.all.filter((review) => review.path === path);
  expect(entries.map(({ content }) => content)).toEqual([typed]);
  const [entry] = entries;
  if (entry === undefined) return;
  if (random() < 0.5) await companion.interruptedFiles.apply(entry.id);
  else companion.interrupted.remove(entry.id);
}

/** A decision made before the crash still reaches its agent, without another question to the user. */
async function receiveDecision({ stage }: CrashSite, path: string, proposer: Proposer): Promise<void> {
  const { reviews } = stage.companion;
  const waits = (): boolean => reviews.pending.some(({ proposal }) => proposal.path === path);
  if (await proposer.comeBack()) return proposer.answered();
  const again = new Proposer(await stage.connect('claude'), path);
  again.decisions = 1;
  again.propose('proposed\n');
  await again.answered();
  await again.settle();
  expect([again.answers, again.heardTooMuch, proposer.answers, waits()]).toEqual([1, false, 0, false]);
  await again.end();
}

/** Runs in one workspace, one after the other. Adds failures to `wrong`, and resolves to the number of crashes. */
async function runMany(count: number, from: number, wrong: string[]): Promise<number> {
  const random = seeded(from);
  const site = await CrashSite.open();
  try {
    for (let at = 0; at < count; at++) {
      const verdict = await runOnce(site, at, random);
      for (const [name, isWrong] of Object.entries(verdict))
        if (isWrong) wrong.push(`seed ${from}, run ${at}: ${name}`);
    }
    const left = await site.end();
    if (left.discovery.length > 0 || left.journals.length !== 1) wrong.push(`seed ${from}: files are left`);
    return site.crashes;
  } finally {
    await site.end();
    site.dispose();
  }
}

/** Counts of each kind of resource in this process: what keeps its event loop busy, and its open files. */
function held(): ReadonlyMap<string, number> {
  const kinds = [...process.getActiveResourcesInfo(), ...readdirSync('/proc/self/fd').map(kindOfFile)];
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Such as `file: socket`; for a regular file its path, which identifies the leak. */
function kindOfFile(descriptor: string): string {
  try {
    return `file: ${readlinkSync(`/proc/self/fd/${descriptor}`).replace(/:\[\d+\]$/, '')}`;
  } catch {
    // The descriptor of the listing itself.
    return 'file: closed meanwhile';
  }
}

/** The resources that were added. */
function leaked(before: ReadonlyMap<string, number>): string[] {
  return [...held()]
    .filter(([kind, count]) => kind !== 'file: closed meanwhile' && count > (before.get(kind) ?? 0))
    .map(([kind, count]) => `${kind}: ${count}, not ${before.get(kind) ?? 0}`);
}

describe('faults', () => {
  test(`${runs} of them, at random steps of reviews of all agents, lose no edit, send no second answer and leak nothing`, async () => {
    const before = held();
    const wrong: string[] = [];
    const crashes = await Promise.all(
      Array.from({ length: workspaces }, (_, at) => runMany(runs / workspaces, seed + at, wrong)),
    );
    expect(wrong).toEqual([]);
    // Otherwise the test has covered little.
    expect(crashes.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(runs / 20);
    await expect.poll(() => leaked(before), { timeout: 10_000 }).toEqual([]);
  }, 240_000);
});
