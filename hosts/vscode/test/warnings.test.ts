import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { openExtensionDesk } from './support/extensionDesk.js';
import { settle } from './support/reviewDesk.js';

type Desk = Awaited<ReturnType<typeof openExtensionDesk>>;

const hidden =
  'This file is hidden from the agent: it matches the deny list (.env*). The agent may not have seen it; accepting may overwrite your secrets.';
const runs = 'An editor may run commands that this file contains.';
const conflict =
  'This file changed on disk, on lines that this proposal also changes. If you accept, those changes on disk are lost.';

async function propose({ extension, path }: Desk, name: string, content: string) {
  const proposal = { path: path(name), content, agent: 'gemini', session: 'one' };
  const review = await extension.companion()?.reviews.propose(proposal);
  await settle();
  const view = extension.reviews().find((each) => each.review === review);
  if (view === undefined) throw new Error('there is no review');
  return view;
}

/** The threads of warnings: their first line, and their lines of text. */
const threads = ({ window }: Desk) =>
  [...window.threads].map(({ range, comments }) => [
    range?.start.line,
    comments.flatMap(({ author }) => author.name.replaceAll('\u200b', '').split('\n')),
  ]);

interface Row {
  readonly id: vscode.TreeItem['id'] | undefined;
  readonly label: vscode.TreeItem['label'] | undefined;
  readonly description: vscode.TreeItem['description'] | undefined;
  readonly tooltip: vscode.TreeItem['tooltip'] | undefined;
  readonly rows: readonly Row[];
}

/** The rows of the list of reviews, with their tooltips. */
async function rows({ window }: Desk): Promise<Row[]> {
  const tree = window.trees.get('tandem.reviews') as vscode.TreeDataProvider<object>;
  const below = async (node?: object): Promise<Row[]> => {
    const found = (await tree.getChildren(node)) ?? [];
    return Promise.all(
      found.map(async (each) => {
        const { id, label, description, tooltip } = await tree.getTreeItem(each);
        return { id, label, description, tooltip, rows: await below(each) };
      }),
    );
  };
  return below();
}

describe('the warnings about a review', () => {
  it('are whole sentences above its first change, with the path, and end with it', async () => {
    const desk = await openExtensionDesk({ files: { '.env': 'A=1\nB=2\nC=3\n' } });
    const first = await propose(desk, '.env', 'A=1\nB=2\nC=4\n');
    expect(threads(desk)).toEqual([[1, ['.env', hidden]]]);
    const [thread] = desk.window.threads;
    expect(thread).toMatchObject({
      uri: first.sides.proposal,
      canReply: false,
      collapsibleState: 1,
      // With a text here, VS Code would open its view of comments.
      comments: [{ body: '' }],
    });
    // A new file is changed from its first line on.
    const second = await propose(desk, '.vscode/tasks.json', '{}\n');
    expect(threads(desk)[1]).toEqual([undefined, ['.vscode/tasks.json', runs]]);
    first.review.reject();
    second.review.withdraw('agent');
    await expect.poll(() => threads(desk)).toEqual([]);
  });

  it('follow what happens to the file and to the text', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': 'one\n' } });
    const { review } = await propose(desk, 'a.txt', 'ONE\n');
    expect(threads(desk)).toEqual([]);
    writeFileSync(desk.path('a.txt'), 'two\n');
    await desk.window.write(desk.path('a.txt'), 'two\n');
    await expect.poll(() => threads(desk)).toEqual([[undefined, ['a.txt', conflict]]]);
    review.edit('');
    expect(threads(desk)[0]?.[1]).toEqual(['a.txt', conflict, 'Your text empties the file.']);
  });

  it('are listed below its row', async () => {
    const desk = await openExtensionDesk({ files: { '.env': 'A=1\n' } });
    await propose(desk, '.env', 'A=2\n');
    expect(await rows(desk)).toMatchObject([
      {
        label: 'Gemini CLI',
        rows: [
          {
            label: '.env',
            description: '+1 −1',
            tooltip: `Gemini CLI proposes a change to .env, 1 line added, 1 removed\n.env\n${hidden}`,
            rows: [{ label: 'Hidden from the agent', tooltip: hidden, rows: [] }],
          },
        ],
      },
    ]);
  });

  it('are visible in the list if they come later: VS Code expands only new rows', async () => {
    const desk = await openExtensionDesk({ files: { 'a.txt': 'one\n' } });
    const row = async (): Promise<Row | undefined> => (await rows(desk))[0]?.rows[0];
    await propose(desk, 'a.txt', 'ONE\n');
    const before = await row();
    expect(before?.rows).toEqual([]);
    writeFileSync(desk.path('a.txt'), 'two\n');
    await desk.window.write(desk.path('a.txt'), 'two\n');
    await expect.poll(async () => (await row())?.rows.length).toBe(1);
    expect((await row())?.id).not.toBe(before?.id);
  });

  it('are named behind the first line of the text if comments are switched off', async () => {
    const desk = await openExtensionDesk({ files: { '.env': 'A=1\n' } });
    const note = () => desk.window.tabs.activeEditor?.decorations[0]?.renderOptions?.after?.contentText;
    desk.window.set('comments.visible', false);
    await propose(desk, '.env', 'A=2\n');
    await expect.poll(note).toBe('Hidden from the agent');
  });
});
