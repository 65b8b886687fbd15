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
/** So many workspaces at a time: most of a run is waiting for sockets and for the disk. */
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

/** One agent that proposes changes to one file, and counts what it is answered. */
class Proposer {
  readonly #client: ClaudeClient | CompanionClient;
  readonly #path: string;
  #call = -1;
  /** How often the person was to decide, for all that it proposed. */
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

  takeBack(): void {
    if (this.#client instanceof ClaudeClient) this.#client.beginCall('close_tab', { tab_name: this.#path });
    else void this.#client.closeDiff(this.#path).catch(() => undefined);
  }

  /** Two results for one request of the companion: Claude Code is asked nothing but whether it lives. */
  answerTwice(): void {
    const result = JSON.stringify({ jsonrpc: '2.0', id: 0, result: {} });
    if (this.#client instanceof ClaudeClient)
      for (const _ of ['one', 'two']) this.#client.socket.send(result);
    else void this.#client.notify('notifications/initialized').catch(() => undefined);
  }

  /** Without a word, as a process that is killed. */
  die(): void {
    if (this.#client instanceof ClaudeClient) this.#client.socket.terminate();
    else this.#client.hangUp();
  }

  /** It reads nothing any more, and its connection stands. */
  hang(): void {
    if (this.#client instanceof ClaudeClient) this.#client.socket.pause();
  }

  /** An HTTP client that survived the companion opens its stream again. */
  async comeBack(): Promise<boolean> {
    if (this.#client instanceof ClaudeClient) return false;
    return (await this.#client.openStream()).status === 200;
  }

  /** Waits for the answer. */
  async answered(): Promise<void> {
    const client = this.#client;
    if (client instanceof ClaudeClient) await client.answer(this.#call);
    else await client.heard(() => this.answers > 0);
  }

  /** Whatever was sent before this is here when it resolves. A client that is gone hears nothing any more. */
  async settle(): Promise<void> {
    const client = this.#client;
    if (!(client instanceof ClaudeClient)) await client.request('tools/list').catch(() => undefined);
    else if (client.socket.readyState === client.socket.OPEN && !client.socket.isPaused)
      await Promise.race([client.request('tools/list'), client.closed]);
  }

  /** The decisions of the person that it was told, over all of its streams. */
  get answers(): number {
    const client = this.#client;
    if (client instanceof ClaudeClient) return this.#results.filter(isDecision).length;
    return client.notifications.filter(
      ({ method, params }) =>
        /^ide\/diff(Accepted|Rejected)$/.test(method ?? '') && params.filePath === this.#path,
    ).length;
  }

  /** Whether some request of its was answered more than once, or more was decided than a person has. */
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

/** What there is of a text that a person typed. */
function keptIn({ stage }: CrashSite, path: string): string[] {
  const { reviews, interrupted } = stage.companion;
  return [
    ...[...reviews.pending, ...reviews.ended]
      .filter(({ proposal }) => proposal.path === path)
      .map(({ content }) => content),
    ...interrupted.all.filter((review) => review.path === path).map(({ content }) => content),
  ];
}

/** What one run came to. */
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
  let isUntold = false;
  const strike = async (now: (typeof steps)[number]): Promise<boolean> => {
    if (now !== step) return false;
    if (fault === 'agent dies') proposer.die();
    else if (fault === 'half-open') proposer.hang();
    else if (fault === 'withdrawn late') proposer.takeBack();
    else if (fault === 'withdrawn twice') for (const _ of ['one', 'two']) proposer.takeBack();
    else if (fault === 'answers twice') proposer.answerTwice();
    else if (fault === 'flood') for (let more = 0; more < 20; more++) proposer.propose(`proposal ${more}\n`);
    else if (fault === 'crash') {
      await site.stage.companion.journal.write();
      await site.crash();
    }
    const isGone = fault === 'agent dies' || fault === 'withdrawn late' || fault === 'withdrawn twice';
    return fault === 'crash' || (now === 'before it is shown' && isGone);
  };

  const opened = site.stage.heard('review.opened', (event) => event.path === path);
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
      // The moment of a crash between the note of a decision and its answer.
      isUntold = isDecided && fault === 'crash' && step === 'after the answer' && random() < 0.7;
      if (isUntold) await site.crash(site.stage.companion.save());
      if (fault === 'decided twice') expect([review?.accept(), review?.reject()]).toEqual([false, false]);
      isRejected = isDecided && !isAccepting;
      const hears =
        fault === 'none' || fault === 'decided twice' || fault === 'answers twice' || fault === 'crash';
      if (isDecided && hears && !isUntold) await proposer.answered();
      // Whatever the crash comes before, here it is known who was told.
      if (fault === 'crash' && review && isDecided && !isUntold)
        await expect.poll(() => site.stage.companion.reviews.isAnswered(review)).toBe(true);
      isOver = isUntold || (await strike('after the answer'));
    }
  }
  // What was rejected is nobody's any more, and what an agent was told is the agent's.
  const isOurs = hasTyped && !isRejected && proposer.answers === 0;
  const isLost = isOurs && !keptIn(site, path).includes(typed);
  if (fault === 'crash' && hasTyped && !isDecided) await afterCrash(site, path, typed, proposer, random);
  if (isUntold) await hearDecision(site, path, proposer);
  else if (fault === 'crash' && isDecided) await proposer.comeBack();
  await proposer.settle();
  const answeredTwice = proposer.heardTooMuch;
  await proposer.end();
  const text = readFileSync(path, 'utf8');
  return {
    lost: isLost,
    answeredTwice,
    // Only a text that the person has applied may stand there.
    written: text !== original && !(fault === 'crash' && text === typed),
  };
}

/** The agent comes back for its decision, or the person puts the text into the file, or throws it away. */
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
    const again = await stage.heard('review.opened', (event) => event.path === path);
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

/** What was decided before the crash reaches its agent all the same, and asks nobody. */
async function hearDecision({ stage }: CrashSite, path: string, proposer: Proposer): Promise<void> {
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

/** In one workspace, one after the other. Adds what went wrong to `wrong`, and resolves to how many crashes there were. */
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

/** How many of each kind this process holds: what keeps its event loop busy, and its open files. */
function held(): ReadonlyMap<string, number> {
  const kinds = [...process.getActiveResourcesInfo(), ...readdirSync('/proc/self/fd').map(kindOfFile)];
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Such as `file: socket`; of a regular file its path, which says who has forgotten it. */
function kindOfFile(descriptor: string): string {
  try {
    return `file: ${readlinkSync(`/proc/self/fd/${descriptor}`).replace(/:\[\d+\]$/, '')}`;
  } catch {
    // That of the listing itself.
    return 'file: closed meanwhile';
  }
}

/** What there is more of than there was. */
function leaked(before: ReadonlyMap<string, number>): string[] {
  return [...held()]
    .filter(([kind, count]) => kind !== 'file: closed meanwhile' && count > (before.get(kind) ?? 0))
    .map(([kind, count]) => `${kind}: ${count}, not ${before.get(kind) ?? 0}`);
}

describe('faults', () => {
  test(`${runs} of them, at random steps of reviews of all agents, lose no edit, answer nobody twice and leave nothing behind`, async () => {
    const before = held();
    const wrong: string[] = [];
    const crashes = await Promise.all(
      Array.from({ length: workspaces }, (_, at) => runMany(runs / workspaces, seed + at, wrong)),
    );
    expect(wrong).toEqual([]);
    // Otherwise little of this was tried.
    expect(crashes.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(runs / 20);
    await expect.poll(() => leaked(before), { timeout: 10_000 }).toEqual([]);
  }, 240_000);
});
