import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Danger, writeDangers } from '../../packages/companion/test/support/dangers.js';
import { exhaustive } from '../../test/exhaustive.js';
import { useBrowser } from '../src/browser.js';
import { EmacsWindow } from '../src/emacs.js';
import { connectGemini } from '../src/emacsClients.js';
import { parseJson, pick, pickText } from '../src/json.js';
import { connectHttpAgent } from '../src/mcpAgents.js';
import { NeovimStage } from '../src/neovim/neovimStage.js';
import { ReviewPage } from '../src/reviewPage.js';
import { Sandbox } from '../src/sandbox.js';
import { Stage } from '../src/stage.js';
import { takePictures } from '../src/takePicture.js';
import { tandem } from '../src/tandem.js';

useBrowser();

/** The first danger with each set of kinds. */
function writeOnePerKind(workspace: string): Danger[] {
  const all = writeDangers(workspace);
  return all.filter(({ kinds }, at) => at === all.findIndex((other) => `${other.kinds}` === `${kinds}`));
}

const withoutSpaces = (text: string): string => text.replace(/\s+/g, '');

/** A companion of some host, as its user's terminal sees it. */
interface Asked {
  readonly sandbox: Sandbox;
  readonly workspace: string;
}

/** What `tandem review accept` asks about the only pending review, without a terminal: the question, line by line. */
async function questionInTerminal({ sandbox, workspace }: Asked): Promise<string[]> {
  const { code, stderr } = await tandem(sandbox, workspace, ['review', 'accept']);
  expect(code).not.toBe(0);
  const lines = stderr.trim().split('\n');
  expect(lines.at(-1)).toMatch(/^To confirm: .* --yes [a-z,]+$/);
  return lines.filter((line) => !line.startsWith('To '));
}

async function expectPending({ sandbox, workspace }: Asked): Promise<void> {
  const { stdout } = await tandem(sandbox, workspace, ['review', 'list', '--json']);
  expect(pickText(pick(parseJson(stdout), 0), 'state')).toBe('pending');
}

it('asks in the page what it asks in a terminal, about each kind of danger', exhaustive, async () => {
  const stage = await Stage.open();
  const agent = await connectHttpAgent(stage.tandem, 'gemini');
  const page = await ReviewPage.open(stage.tandem);
  for (const { name, path, kinds, change } of writeOnePerKind(stage.workspace)) {
    await agent.propose(stage.path(path), 'PWN\n');
    change?.(stage.path(path));
    const asked = await questionInTerminal(stage);
    // What is outside of the workspace has its whole path.
    const label = path.startsWith('../') ? stage.path(path) : path;
    await page.openReview(label);
    await takePictures(page.page, `danger-${kinds.join('-')}`);
    await page.accept(label);
    const dialog = page.page.getByRole('dialog');
    for (const line of asked) await dialog.getByText(line).first().waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expectPending(stage);
    await agent.withdraw(stage.path(path));
    await expect.poll(() => page.queue.count(), { message: name }).toBe(0);
  }
});

it('asks in Neovim what it asks in a terminal, about each kind of danger', exhaustive, async () => {
  const stage = await NeovimStage.create();
  onTestFinished(() => stage.dispose());
  const { neovim } = stage;
  for (const { name, path, change } of writeOnePerKind(stage.workspace)) {
    await stage.reset();
    const { withdraw } = stage.propose(stage.path(path), 'PWN\n');
    await neovim.waitFor('reviews=1');
    change?.(stage.path(path));
    const asked = await questionInTerminal(stage);
    await neovim.command('Tandem accept');
    await neovim.terminal.waitFor((screen) =>
      asked.every((line) => withoutSpaces(screen).includes(withoutSpaces(line))),
    );
    await neovim.type('c');
    await neovim.situation();
    await expectPending(stage);
    await withdraw();
    await expect.poll(() => neovim.lua('vim.g.decided'), { message: name }).toMatch(/w$/);
  }
});

it('asks in Emacs what it asks in a terminal, about each kind of danger', exhaustive, async () => {
  const sandbox = await Sandbox.create();
  onTestFinished(() => sandbox.dispose());
  const workspace = await sandbox.folder('workspace');
  const emacs = await EmacsWindow.start(sandbox, workspace);
  onTestFinished(() => emacs.dispose());
  const agent = await connectGemini(emacs);
  for (const { path, change } of writeOnePerKind(workspace)) {
    const file = `${workspace}/${path}`;
    mkdirSync(dirname(file), { recursive: true });
    await agent.openDiff(file, 'PWN\n');
    await emacs.waitForReviews(1);
    change?.(file);
    const asked = await questionInTerminal({ sandbox, workspace });
    await emacs.openReview();
    await emacs.press('C-c C-c');
    await emacs.waitFor((screen) =>
      asked.every((line) => withoutSpaces(screen).includes(withoutSpaces(line))),
    );
    await emacs.press('C-g');
    await expectPending({ sandbox, workspace });
    await agent.closeDiff(file);
    await emacs.waitForReviews(0);
    // The windows are as they were before the review.
    await expect.poll(() => emacs.evaluate('(length (window-list))'), { timeout: 20_000 }).toBe('1');
  }
});
