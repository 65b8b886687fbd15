import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Review } from '@tandem/reviews';
import { FakeClock } from '@tandem/testing';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../agents/test/support/rpc.js';
import { describeReview } from '../src/reviews/reviewSummary.js';
import type { CompanionStage, StageOptions } from './support/companionStage.js';
import { noteTexts } from './support/noteTexts.js';
import { useSuccessiveCompanions } from './support/successiveCompanions.js';

const createSite = useSuccessiveCompanions();

const before = 'one\ntwo\nthree\n';
const proposed = 'ONE\ntwo\nthree\n';
const corrected = 'ONE\ntwo\nthree of mine\n';
const tab = '[Copilot CLI] - a.txt (c0ffee)';

/** A proposal by an agent that writes its own text, which the user has corrected and accepted. */
async function correct() {
  const clock = new FakeClock();
  const { begin: beginNext, path } = createSite({ 'a.txt': before }, { clock });
  const stage = await beginNext();
  const client = await stage.connect('copilot');
  const answer = client.openDiff(path, proposed, tab);
  const review = await stage.editor.whenShown();
  review.edit(corrected);
  const notes = noteTexts(describeReview(review));
  review.accept();
  expect(jsonOf(await answer).result).toBe('SAVED');
  /** Lets time pass until the companion offers the corrections. */
  const pass = (): Promise<void> =>
    expect
      .poll(() => {
        clock.advance(15_000);
        return stage.companion.interrupted.all.length;
      })
      .toBe(1);
  return { stage, client, path, notes, pass, beginNext };
}

describe('corrections to a proposal whose agent writes its own text', () => {
  test('are announced before the acceptance, and offered after the agent has written its text [COP-20]', async () => {
    const { stage, path, notes, pass } = await correct();
    expect(notes.join()).toContain('ignores your edits');
    const { interrupted, interruptedFiles } = stage.companion;
    expect(interrupted.all).toEqual([]);
    writeFileSync(path, proposed);
    await pass();
    expect(interrupted.all).toMatchObject([
      { path, content: corrected, original: { kind: 'text', text: proposed } },
    ]);
    await interruptedFiles.apply(interrupted.all[0]?.id ?? '');
    expect(readFileSync(path, 'utf8')).toBe(corrected);
    expect(interrupted.all).toEqual([]);
  });

  test('are offered with the whole proposal if the agent does not write it [COP-20]', async () => {
    const { stage, path, pass } = await correct();
    await pass();
    const { interrupted } = stage.companion;
    expect(interrupted.all).toMatchObject([{ path, content: corrected, original: { text: before } }]);
    // The agent was slow.
    writeFileSync(path, proposed);
    await stage.companion.sweep();
    expect(interrupted.all).toMatchObject([{ content: corrected, original: { text: proposed } }]);
  });

  test('survive the next proposal for the file, and the end of the agent [COP-20]', async () => {
    const { stage, client, path } = await correct();
    const answer = client.openDiff(path, 'next\n', 'another tab');
    const next = await stage.editor.whenShown(({ proposal }) => proposal.content === 'next\n');
    next.reject();
    await answer;
    const closed = stage.event('session.closed');
    stage.companion.agents.protocols.find(({ identity }) => identity.id === 'copilot')?.stop();
    await closed;
    await expect.poll(() => stage.companion.interrupted.all).toMatchObject([{ content: corrected }]);
  });

  test.each([
    ['before', before],
    ['after', proposed],
  ])('survive a kill %s the agent has written its text [COP-20]', async (_when, text) => {
    const { stage, path, beginNext } = await correct();
    await stage.companion.journal.write();
    const left = stage.companion.save();
    await stage.companion.stop();
    writeFileSync(path, text);
    const next = await beginNext({ before: { ...left, endedInOrder: false } });
    expect(next.companion.interrupted.all).toMatchObject([{ content: corrected, original: { text } }]);
  });
});

const agents = ['claude', 'copilot', 'gemini', 'qwen'] as const;
type Agent = (typeof agents)[number];

/** Connects like that agent's CLI. `open` proposes a change. */
async function connect(
  stage: CompanionStage,
  agent: Agent,
): Promise<(path: string, text: string) => unknown> {
  if (agent === 'claude') {
    const client = await stage.connect(agent);
    return (path, text) => client.beginOpenDiff(path, text);
  }
  if (agent === 'copilot') {
    const client = await stage.connect(agent);
    // The call ends with the review, or with the companion.
    return (path, text) => void client.openDiff(path, text, tab).catch(() => undefined);
  }
  const client = await stage.connect(agent);
  return (path, text) => client.openDiff(path, text);
}

/** A companion with a journal, whose agents propose changes to `a.txt`; `link` leads to it. */
async function begin(options: StageOptions = {}) {
  const clock = new FakeClock();
  const { begin: beginNext, folder, path } = createSite({ 'a.txt': before }, { clock, ...options });
  symlinkSync(path, join(folder, 'link'));
  const stage = await beginNext();
  const { reviews, interrupted } = stage.companion;
  const propose = async (agent: Agent, text: string, file = path): Promise<Review> => {
    await (await connect(stage, agent))(file, text);
    const find = (): Review | undefined =>
      reviews.pending.find(({ proposal }) => proposal.agent === agent && proposal.path === file);
    await expect.poll(find).toBeDefined();
    return find() as Review;
  };
  /** The user accepts, and the agent receives the answer. */
  const accept = async (review: Review, text?: string): Promise<void> => {
    review.accept(text);
    await expect.poll(() => review.isAnswered).toBe(true);
  };
  /** Lets time pass, at most `limitMs`, until the condition holds. */
  const pass = async (check: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<void> => {
    const end = clock.now() + limitMs;
    await expect
      .poll(
        () => {
          if (clock.now() < end) clock.advance(200);
          return check();
        },
        { interval: 10 },
      )
      .toBe(true);
  };
  /** Lets time pass until the text of an accepted review is found in its file. Nothing is listed then. */
  const written = async (review: Review): Promise<void> => {
    await pass(() => !reviews.unwritten.includes(review));
    expect(interrupted.all).toEqual([]);
  };
  /** Lets seconds pass until these texts are listed. */
  const listed = (...texts: string[]): Promise<void> =>
    pass(() => interrupted.all.map(({ content }) => content).join() === texts.join(), 10_000);
  return {
    stage,
    folder,
    path,
    clock,
    propose,
    accept,
    pass,
    written,
    listed,
    interrupted,
    reviews,
    beginNext,
  };
}

describe.each(agents)('a text that %s has received', (agent) => {
  const text = agent === 'copilot' ? proposed : corrected;

  test('is not listed once it is in the file', async () => {
    const { propose, accept, written, path, stage } = await begin();
    const review = await propose(agent, proposed);
    await accept(review, text);
    writeFileSync(path, text);
    await written(review);
    expect(stage.companion.save().interrupted).toEqual([]);
  });

  test('is not listed if a program formats the file right after the write', async () => {
    const { propose, accept, written, path } = await begin();
    const review = await propose(agent, proposed);
    await accept(review, text);
    writeFileSync(path, `${text.replaceAll('\n', ' ;\r\n')}\r\n`);
    await written(review);
  });

  test.each<[string, (path: string) => void]>([
    ['is unchanged', () => {}],
    ['was touched', (path) => utimesSync(path, new Date(), new Date())],
    ['was changed by another program', (path) => writeFileSync(path, `${before}four\n`)],
    ['was removed', (path) => rmSync(path)],
    [
      'is a folder now',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('is listed within seconds if the file %s, and survives a kill', async (_what, change) => {
    const { propose, accept, listed, path, stage, beginNext, interrupted } = await begin();
    const review = await propose(agent, proposed);
    await accept(review, corrected);
    change(path);
    await listed(corrected);
    const { client } = await stage.found();
    const end = { label: 'Accepted, but not written' };
    expect(await client.call('review.list', {})).toMatchObject([{ state: 'interrupted', end }]);
    const { content, end: shown } = await client.call('review.show', {
      id: interrupted.all[0]?.id ?? '',
    });
    expect([content, shown?.text]).toEqual([
      corrected,
      expect.stringContaining('Accepted, but not written: the agent has received this text'),
    ]);
    const left = stage.companion.save();
    await stage.companion.stop();
    const next = await beginNext({ before: { ...left, endedInOrder: false } });
    expect(next.companion.interrupted.all).toMatchObject([{ content: corrected, isAccepted: true }]);
  });

  test('is no longer listed when the agent writes it after all, or the user applies it', async () => {
    const { propose, accept, listed, pass, path, reviews, interrupted, stage } = await begin();
    await accept(await propose(agent, proposed), corrected);
    await listed(corrected);
    writeFileSync(path, corrected);
    await pass(() => interrupted.all.length === 0);
    expect(reviews.unwritten).toEqual([]);
    writeFileSync(path, before);
    const again = await propose(agent, proposed);
    await accept(again, corrected);
    await listed(corrected);
    await stage.companion.interruptedFiles.apply(interrupted.all[0]?.id ?? '');
    expect([readFileSync(path, 'utf8'), interrupted.all, reviews.unwritten]).toEqual([corrected, [], []]);
  });

  test('is discarded at once, also by its number', async () => {
    const { propose, accept, listed, interrupted, reviews, stage } = await begin();
    const review = await propose(agent, proposed);
    await accept(review, corrected);
    await listed(corrected);
    const { client } = await stage.found();
    await client.call('review.discard', { ids: [review.id], answer: {} });
    expect([interrupted.all, reviews.unwritten]).toEqual([[], []]);
  });

  test('is offered with the proposal when the agent makes it again', async () => {
    const { propose, accept, interrupted, reviews } = await begin();
    await accept(await propose(agent, proposed), corrected);
    const again = await propose(agent, proposed);
    expect([again.content, interrupted.all, reviews.unwritten]).toEqual([corrected, [], []]);
    again.reject();
    expect(interrupted.all).toEqual([]);
  });
});

test('a file in which an agent wrote its own text after all offers the edits of the user', async () => {
  const { propose, accept, listed, path, interrupted, pass } = await begin();
  await accept(await propose('qwen', proposed), corrected);
  writeFileSync(path, proposed);
  await listed(corrected);
  expect(interrupted.all).toMatchObject([
    { original: { text: proposed }, interruption: 'written without your edits' },
  ]);
  writeFileSync(path, corrected);
  await pass(() => interrupted.all.length === 0);
});

test('edits of a proposal that was accepted in the terminal of Qwen Code are listed, until the file has them', async () => {
  const { stage, path, pass, interrupted, reviews } = await begin();
  const client = await stage.connect('qwen');
  await client.openDiff(path, proposed);
  reviews.pending[0]?.edit(corrected);
  await client.closeDiff(path);
  expect(interrupted.all).toMatchObject([{ content: corrected, original: { text: before } }]);
  writeFileSync(path, proposed);
  await pass(
    () => interrupted.all[0]?.original.kind === 'text' && interrupted.all[0].original.text === proposed,
  );
  expect(interrupted.all).toMatchObject([{ content: corrected }]);
  await stage.companion.interruptedFiles.apply(interrupted.all[0]?.id ?? '');
  expect([readFileSync(path, 'utf8'), interrupted.all]).toEqual([corrected, []]);
});

test('edits of a proposal that was accepted in the terminal of Gemini CLI leave the list when it has written them', async () => {
  const { stage, path, pass, interrupted, reviews } = await begin();
  const client = await stage.connect('gemini');
  await client.openDiff(path, proposed);
  reviews.pending[0]?.edit(corrected);
  await client.closeDiff(path);
  writeFileSync(path, corrected);
  await pass(() => interrupted.all.length === 0);
});

describe('two accepted texts for one file', () => {
  const last = 'one\ntwo\nTHREE\n';
  const both = 'ONE\ntwo\nTHREE\n';

  /** Two agents propose, and the user accepts both before the first one has written. */
  async function acceptBoth() {
    const stage = await begin();
    const { propose, accept, folder, path } = stage;
    const one = await propose('gemini', proposed);
    const other = await propose('claude', last, join(folder, 'link'));
    const { client } = await stage.stage.found();
    await client.call('review.accept', { id: one.id });
    await expect(client.call('review.accept', { id: other.id })).rejects.toThrow(
      'now merged into the proposal',
    );
    expect(other.content).toBe(both);
    await accept(other);
    return { ...stage, one, other, path };
  }

  test('are merged, and both are written in the order of their acceptance', async () => {
    const { path, written, one, other } = await acceptBoth();
    writeFileSync(path, proposed);
    writeFileSync(path, both);
    await written(one);
    await written(other);
  });

  test('are listed again if the first agent writes last', async () => {
    const { path, listed, pass, one, clock, interrupted, stage } = await acceptBoth();
    writeFileSync(path, both);
    const writtenAt = clock.now();
    await pass(() => clock.now() - writtenAt > 8_000);
    expect(interrupted.all).toEqual([]);
    writeFileSync(path, proposed);
    await listed(both);
    await stage.companion.interruptedFiles.apply(interrupted.all[0]?.id ?? '');
    expect(readFileSync(path, 'utf8')).toBe(both);
    await pass(() => !stage.companion.reviews.unwritten.includes(one));
    expect(interrupted.all).toEqual([]);
  });

  test('are both listed if neither agent writes', async () => {
    const { listed } = await acceptBoth();
    await listed(proposed, both);
  });
});

test('a folder in which an agent is started is announced while it is in use [COP-15]', async () => {
  const { begin: start, folder } = createSite({ 'sub/a.txt': before });
  const stage = await start();
  const announced = (): string[] =>
    stage
      .discoveryFiles()
      .filter((file) => file.includes('.copilot'))
      .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).workspaceFolders)
      .sort();
  const sub = join(folder, 'sub');
  const { client } = await stage.found();
  const stay = new AbortController();
  await new Promise<void>((onOpen) => {
    void client.followEvents(() => {}, { folder: sub, signal: stay.signal, onOpen });
  });
  const also = stage.companion.startFolders.add(sub);
  await expect.poll(announced).toEqual([folder, sub]);
  stay.abort();
  for (const outside of [folder, '/elsewhere', `${folder}2`]) stage.companion.startFolders.add(outside);
  expect(announced()).toEqual([folder, sub]);
  also.dispose();
  await expect.poll(announced).toEqual([folder]);
});
