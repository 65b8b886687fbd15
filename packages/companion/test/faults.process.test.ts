import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../protocols/test/support/claudeClient.js';
import type { CompanionClient } from '../../protocols/test/support/companionClient.js';
import { CrashSite } from './support/crashSite.js';

const agents = ['gemini', 'qwen', 'claude'] as const;
const steps = ['before it is shown', 'while it is edited', 'while deciding', 'after the answer'] as const;
const faults = ['none', 'agent dies', 'withdrawn late', 'decided twice', 'flood', 'half-open'] as const;
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

/** One agent that proposes one change, and counts what it is answered. */
class Proposer {
  readonly #client: ClaudeClient | CompanionClient;
  readonly #path: string;
  #call = -1;

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

  get answers(): number {
    const client = this.#client;
    if (client instanceof ClaudeClient) {
      const lines = client.received.split('\n').filter((line) => line !== '');
      return lines.filter((line) => JSON.parse(line).id === this.#call && line.includes('"content"')).length;
    }
    return client.notifications.filter(
      ({ method, params }) =>
        /^ide\/diff(Accepted|Rejected)$/.test(method ?? '') && params.filePath === this.#path,
    ).length;
  }

  async end(): Promise<void> {
    if (this.#client instanceof ClaudeClient) this.#client.socket.terminate();
    else await this.#client.end();
  }
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
  const strike = async (now: (typeof steps)[number]): Promise<boolean> => {
    if (now !== step) return false;
    if (fault === 'agent dies') proposer.die();
    else if (fault === 'half-open') proposer.hang();
    else if (fault === 'withdrawn late') proposer.takeBack();
    else if (fault === 'flood') for (let more = 0; more < 20; more++) proposer.propose(`proposal ${more}\n`);
    else if (fault === 'crash') {
      await site.stage.companion.writeDown();
      await site.crash();
    }
    if (now === 'before it is shown')
      return fault === 'agent dies' || fault === 'withdrawn late' || fault === 'crash';
    return fault === 'crash';
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
      if (fault === 'decided twice') expect([review?.accept(), review?.reject()]).toEqual([false, false]);
      isRejected = isDecided && !isAccepting;
      const hears = isDecided && (fault === 'none' || fault === 'decided twice');
      if (hears) await proposer.answered();
      isOver = await strike('after the answer');
    }
  }
  // What was rejected is nobody's any more, and what an agent was told is the agent's.
  const isOurs = hasTyped && !isRejected && proposer.answers === 0;
  const isLost = isOurs && !keptIn(site, path).includes(typed);
  if (fault === 'crash' && hasTyped && !isDecided) await afterCrash(site, path, typed, proposer, random);
  await proposer.end();
  const text = readFileSync(path, 'utf8');
  return {
    lost: isLost,
    answeredTwice: fault !== 'flood' && proposer.answers > 1,
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
    review?.accept();
    return proposer.answered();
  }
  const entries = companion.interrupted.all.filter((review) => review.path === path);
  expect(entries.map(({ content }) => content)).toEqual([typed]);
  const [entry] = entries;
  if (entry === undefined) return;
  if (random() < 0.5) await companion.interruptedFiles.apply(entry.id);
  else companion.interrupted.remove(entry.id);
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

function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => /^TCP/.test(name)).length;
}

describe('faults', () => {
  test(`${runs} of them, at random steps of reviews of all agents, lose no edit, answer nobody twice and leave nothing behind`, async () => {
    const before = handles();
    const wrong: string[] = [];
    const crashes = await Promise.all(
      Array.from({ length: workspaces }, (_, at) => runMany(runs / workspaces, seed + at, wrong)),
    );
    expect(wrong).toEqual([]);
    // Otherwise little of this was tried.
    expect(crashes.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(runs / 20);
    await expect.poll(handles, { timeout: 10_000 }).toBeLessThanOrEqual(before);
  }, 240_000);
});
