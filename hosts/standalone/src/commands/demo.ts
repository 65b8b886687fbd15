import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { type Companion, createCompanion } from '@tandem/companion';
import { type Review, silentLogger, UnanswerableError } from '@tandem/core';
import { DemoAgent } from '../demoAgent.js';
import { demoProposals, greetingFile } from '../demoScript.js';
import { CommandError, exitCode } from '../exitCode.js';
import { paint, print } from '../output.js';
import { localReviewDiff } from '../reviewText.js';
import { onEndingSignal } from '../signals.js';
import { StandaloneEditor } from '../standaloneEditor.js';

/**
 * `tandem demo`: a companion on a scratch folder and a scripted agent that proposes changes to it. On a terminal
 * the person decides right here; they can as well from another terminal, with the commands that are shown.
 */
export async function demo(version: string): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tandem-demo-')));
  await writeFile(join(folder, greetingFile.name), greetingFile.content);
  const editor = new StandaloneEditor({ folders: [folder], isTrusted: true, version, logger: silentLogger });
  const companion = await createCompanion({ editor, version, agents: ['gemini'] });
  const release = (): void => companion.releaseSync();
  process.on('exit', release);
  const keyboard = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  const stopped = new Promise<'stopped'>((resolve) => {
    onEndingSignal(() => resolve('stopped'));
    keyboard?.once('close', () => resolve('stopped'));
  });
  try {
    await Promise.race([play(companion, folder, keyboard), stopped]);
  } finally {
    keyboard?.close();
    await companion.stop();
    editor.dispose();
    process.off('exit', release);
    await rm(folder, { recursive: true, force: true });
  }
}

async function play(companion: Companion, folder: string, keyboard: Interface | undefined): Promise<void> {
  const [discoveryFile] = companion.connections()[0]?.discovery ?? [];
  if (discoveryFile === undefined) {
    const problem = (await companion.status()).agents[0]?.discovery[0]?.problem;
    throw new CommandError(`The demo's agent cannot find the companion: ${problem ?? 'no discovery file was written'}`, exitCode.failed);
  }
  print(`A scripted agent works in ${paint('bold', folder)}. It found this companion by its discovery file and connected.`);
  const agent = await DemoAgent.connect(discoveryFile);
  companion.reviews.onDidOpen((review) => void present(review, folder, keyboard));
  for (const { name, say, content } of demoProposals) {
    print(`\n${paint('cyan', 'Agent:')} ${say}`);
    const answer = await agent.propose(folder, name, content);
    print(answer.kind === 'accepted' ? paint('green', `Accepted. The agent wrote ${name}:`) : paint('yellow', 'Rejected. The agent wrote nothing.'));
    if (answer.kind === 'accepted') print((await readFile(join(folder, name), 'utf8')).replace(/^/gm, '  ').trimEnd());
  }
  await agent.close();
  print('\nThat was it. Now with a real agent, in a folder of yours:  tandem serve');
}

async function present(review: Review, folder: string, keyboard: Interface | undefined): Promise<void> {
  print(localReviewDiff(review, folder));
  print(paint('dim', `From another terminal:  tandem review accept ${review.id} --companion ${process.pid}   (or reject, edit, drop 1)`));
  while (keyboard !== undefined && review.state === 'pending') {
    const controller = new AbortController();
    const listening = review.onDidDecide(() => controller.abort());
    const hunks = review.hunks.length > 1 ? `  [1-${review.hunks.length}] keep or drop a change` : '';
    const word = await keyboard
      .question(`[a]ccept  [r]eject${hunks}  > `, { signal: controller.signal })
      .catch(() => undefined);
    listening.dispose();
    if (word === undefined) return print();
    decide(review, word.trim().toLowerCase(), folder);
  }
}

function decide(review: Review, word: string, folder: string): void {
  const hunk = Number(word) - 1;
  try {
    if (word === 'a' || word === 'accept') review.accept();
    else if (word === 'r' || word === 'reject') review.reject();
    else if (review.keptHunks[hunk] !== undefined) {
      if (review.keptHunks[hunk]) review.dropHunk(hunk);
      else review.keepHunk(hunk);
      print(localReviewDiff(review, folder));
    }
  } catch (error) {
    if (!(error instanceof UnanswerableError)) throw error;
    print(error.message);
  }
}
