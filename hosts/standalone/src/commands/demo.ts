import { rmSync } from 'node:fs';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Companion, createCompanion, describeReview, Journal } from '@tandem/companion';
import { readBoundedFile } from '@tandem/companion/files';
import { silentLogger, visibleLines } from '@tandem/core';
import type { Review } from '@tandem/reviews';
import { DemoAgent } from '../demoAgent.js';
import { DemoKeyboard } from '../demoKeyboard.js';
import { maxDocumentBytes } from '../editor/diskFile.js';
import { PageEditor } from '../editor/pageEditor.js';
import { CommandError, exitCode } from '../exitCode.js';
import { commandName, onOutputEnd, paint, print } from '../output.js';
import { ServedPage } from '../page/servedPage.js';
import { onEndingSignal } from '../processEnd.js';
import { reviewDiff } from '../reviewDiff.js';

const greetingFile = {
  name: 'greeting.js',
  content: `export function greet(name) {
  return 'Hello ' + name;
}

export function farewell(name) {
  return 'Bye ' + name;
}

console.log(greet('world'));
`,
};

const demoProposals = [
  {
    name: greetingFile.name,
    say: 'I would like to use template literals, and to greet you by name.',
    content: `export function greet(name) {
  return \`Hello, \${name}!\`;
}

export function farewell(name) {
  return 'Bye ' + name;
}

console.log(greet(process.env.USER ?? 'world'));
`,
  },
  {
    name: 'README.md',
    say: 'And I would add a short README.',
    content: '# Greeting\n\nRun it with `node greeting.js`.\n',
  },
] as const;

/**
 * `tandem demo`: a companion on a scratch folder, and a scripted agent that proposes changes. The user decides here, in the
 * page, or in another terminal. Without any input it ends.
 */
export async function demo(version: string): Promise<void> {
  let end = (_code: number): void => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const signals = onEndingSignal((code) => end(code));
  onOutputEnd((code) => end(code));
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tandem-demo-')));
  await writeFile(join(folder, greetingFile.name), greetingFile.content);
  const journal = await realpath(await mkdtemp(join(tmpdir(), 'tandem-demo-journal-')));
  const editor = new PageEditor({ folders: [folder], isTrusted: true, version, logger: silentLogger });
  const page = new ServedPage();
  const companion = await createCompanion({
    editor,
    version,
    command: commandName,
    page,
    agents: ['gemini'],
    // Without a journal every review would be marked as not saved.
    journal: Journal.open({ folder: journal, window: 'demo', logger: silentLogger }),
    onStopRequested: () => end(exitCode.ok),
  });
  const cleanUp = (): void => {
    companion.releaseSync();
    for (const each of [folder, journal]) rmSync(each, { recursive: true, force: true });
  };
  process.on('exit', cleanUp);
  const keyboard = new DemoKeyboard((hasInput) => {
    if (!hasInput) print(`\nThe demo needs a terminal to type in. Run ${commandName} demo in one.`);
    end(hasInput ? exitCode.ok : exitCode.failed);
  });
  let agent: DemoAgent | undefined;
  try {
    print(`A scripted agent works in ${paint('bold', folder)}`);
    agent = await DemoAgent.connect(await discoveryFileOf(companion));
    print('It found this companion by its discovery file, as real agents do, and connected.');
    await page.start({ companion, editor, version, logger: silentLogger });
    const address = page.address();
    if (address !== undefined) print(`Decide here, or in the page: ${paint('cyan', address)}`);
    const played = play(companion, agent, folder, keyboard).then(async () => {
      await page.endDemo();
      return exitCode.ok;
    });
    process.exitCode = await Promise.race([played, ended]);
  } finally {
    keyboard.dispose();
    await agent?.close();
    await page.close();
    await companion.stop();
    editor.dispose();
    signals.dispose();
    cleanUp();
    process.off('exit', cleanUp);
  }
}

async function discoveryFileOf(companion: Companion): Promise<string> {
  const [file] = companion.agents.connections()[0]?.discovery ?? [];
  if (file !== undefined) return file;
  const problem = (await companion.status()).agents[0]?.discovery[0]?.problem;
  throw new CommandError(
    `The demo's agent cannot find the companion: ${problem ?? 'it has no discovery file.'}`,
  );
}

async function play(
  companion: Companion,
  agent: DemoAgent,
  folder: string,
  keyboard: DemoKeyboard,
): Promise<void> {
  companion.reviews.onDidOpen((review) => void present(review, folder, keyboard));
  for (const { name, say, content } of demoProposals) {
    print(`\n${paint('cyan', 'Agent:')} ${say}\n`);
    const answer = await agent.propose(folder, name, content);
    if (answer.kind === 'rejected') {
      print(paint('yellow', '\nRejected. The agent wrote nothing.'));
      continue;
    }
    print(paint('green', `\nAccepted. The agent wrote ${name}:`));
    const { bytes } = await readBoundedFile(join(folder, name), { maxBytes: maxDocumentBytes });
    print(
      visibleLines(bytes.toString('utf8'))
        .replace(/^(?=.)/gm, '  ')
        .trimEnd(),
    );
  }
  print(`\nDone. Next, serve a project of your own and connect a real agent: ${commandName} serve FOLDER`);
}

/** Shows a review and reads words from the keyboard until it has ended, here or elsewhere. */
async function present(review: Review, folder: string, keyboard: DemoKeyboard): Promise<void> {
  const show = (): void => print(reviewDiff(describeReview(review), folder));
  show();
  const hunks = review.hunks.length;
  const toggle = hunks > 1 ? `  1-${hunks}: drop or keep that hunk` : '';
  const elsewhere = `${commandName} review accept ${review.id} --companion ${process.pid}`;
  print(paint('dim', `\nOr from another terminal: ${elsewhere}`));
  while (review.state === 'pending') {
    const word = await keyboard.ask(`a: accept  r: reject${toggle}, then Enter > `, review);
    if (word === undefined) return;
    const hunk = Number(word) - 1;
    if (word === 'a' || word === 'accept') review.accept();
    else if (word === 'r' || word === 'reject') review.reject();
    else if (review.keptHunks[hunk] !== undefined) {
      if (review.keptHunks[hunk]) review.dropHunk(hunk);
      else review.keepHunk(hunk);
      show();
    }
  }
}
