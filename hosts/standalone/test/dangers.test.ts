import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Companion, toRpcError } from '@tandem/companion';
import { companionControl } from '@tandem/companion/companionControl';
import { controlContract } from '@tandem/companion/controlContract';
import type { Review } from '@tandem/reviews';
import { createCaller, createDispatcher } from '@tandem/rpc';
import { afterEach, describe, expect, test } from 'vitest';
import { harmless, writeDangers } from '../../../packages/companion/test/support/dangers.js';
import { EditorFixture } from './support/editorFixture.js';
import { PageFixture } from './support/pageFixture.js';

interface Answer {
  readonly confirmed: string[];
}

/** A host with a companion of its own: how its user accepts a review. */
interface Host {
  readonly workspace: string;
  readonly companion: Companion;
  readonly accept: (review: Review, answer?: Answer) => Promise<unknown>;
  /** Makes an unsaved change to a file in its editor. */
  readonly makeUnsaved: (path: string) => Promise<void>;
}

const owned: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of owned.splice(0)) await each.dispose();
});

async function startPage(): Promise<{ fixture: PageFixture } & Omit<Host, 'accept'>> {
  const fixture = await PageFixture.start();
  owned.push(fixture);
  return {
    fixture,
    workspace: fixture.workspace,
    companion: fixture.companion,
    async makeUnsaved(path) {
      await fixture.editor.openDocument(path);
      const { version, content } = await fixture.call('text.open', { text: `document:${path}` });
      const updates = [{ clientId: 'p', changes: [[0, 'unsaved '], content.length] }];
      await fixture.call('text.push', { text: `document:${path}`, version, updates });
    },
  };
}

const hosts: Readonly<Record<string, () => Promise<Host>>> = {
  async 'the page'() {
    const { fixture, ...host } = await startPage();
    const accept: Host['accept'] = async ({ id }, answer) => {
      const { version } = await fixture.call('text.open', { text: `review:${id}` });
      return fixture.call('review.accept', { id, version, ...(answer && { answer }) });
    };
    return { ...host, accept };
  },
  async 'the control interface'() {
    const { fixture: _, ...host } = await startPage();
    const dispatch = createDispatcher<typeof controlContract, { readonly signal: AbortSignal }>({
      contract: controlContract,
      handlers: companionControl(host.companion, {}),
      toRpcError,
      onFault: (error) => expect.fail(String(error)),
    });
    const signal = new AbortController().signal;
    const call = createCaller(controlContract, (method, params) => dispatch(method, params, { signal }));
    return { ...host, accept: ({ id }, answer) => call('review.accept', { id, ...(answer && { answer }) }) };
  },
  async 'an editor over the protocol'() {
    const fixture = await EditorFixture.start();
    owned.push(fixture);
    const workspace = join(fixture.root, 'workspace');
    mkdirSync(workspace);
    await fixture.call('workspace/changed', { workspaceFolders: [workspace], isTrusted: true });
    return {
      workspace,
      companion: fixture.companion,
      async accept({ id }, answer) {
        await fixture.peer.until(() => fixture.peer.views.has(id));
        return fixture.call('review/accept', { id, ...(answer && { answer }) });
      },
      makeUnsaved: async (path) =>
        void (await fixture.call('context/changed', {
          openFiles: [{ path, isDirty: true }],
          activePath: path,
        })),
    };
  },
};

async function propose({ companion, workspace }: Host, name: string, content = 'PWN\n'): Promise<Review> {
  const path = join(workspace, name);
  return companion.reviews.propose({ path, content, agent: 'gemini', session: name });
}

describe.each(Object.entries(hosts))('%s', (_name, start) => {
  test('accepts nothing dangerous that the user has not confirmed, and then accepts it', async () => {
    const host = await start();
    for (const { name, path, kinds, change } of writeDangers(host.workspace)) {
      const review = await propose(host, path);
      change?.(review.proposal.path);
      const code = kinds.every((kind) => kind === 'deleted' || kind === 'conflict') ? 'conflict' : 'question';
      await expect(host.accept(review), name).rejects.toMatchObject({ code });
      // Each kind needs a confirmation of its own.
      for (const missing of kinds) {
        const confirmed = kinds.filter((kind) => kind !== missing);
        await expect(host.accept(review, { confirmed }), name).rejects.toMatchObject({
          code: expect.stringMatching(/^(question|conflict)$/),
        });
      }
      expect(review.state, name).toBe('pending');
      await host.accept(review, { confirmed: [...kinds] });
      expect(review.outcome, name).toMatchObject({ kind: 'accepted', content: 'PWN\n' });
    }
  });

  test('asks about unsaved changes, and conflict markers', async () => {
    const host = await start();
    writeDangers(host.workspace);
    const unsaved = await propose(host, 'a.txt');
    await host.makeUnsaved(unsaved.proposal.path);
    await expect(host.accept(unsaved)).rejects.toMatchObject({ code: 'question' });
    await host.accept(unsaved, { confirmed: ['unsaved'] });
    const marked = await propose(host, 'src/index.ts');
    marked.edit('<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\n');
    await expect(host.accept(marked)).rejects.toMatchObject({ code: 'conflict' });
    await host.accept(marked, { confirmed: ['markers'] });
    expect([unsaved.state, marked.state]).toEqual(['accepted', 'accepted']);
  });

  test('asks nothing about other files', async () => {
    const host = await start();
    writeDangers(host.workspace);
    for (const name of harmless) {
      const review = await propose(host, name);
      await host.accept(review);
      expect(review.state, name).toBe('accepted');
    }
  });

  test('asks again if the file becomes dangerous while the user answers', async () => {
    const host = await start();
    writeDangers(host.workspace);
    const review = await propose(host, '.env');
    await expect(host.accept(review)).rejects.toMatchObject({ code: 'question' });
    await host.makeUnsaved(review.proposal.path);
    await expect(host.accept(review, { confirmed: ['hidden'] })).rejects.toMatchObject({ code: 'question' });
    expect(review.state).toBe('pending');
  });
});
