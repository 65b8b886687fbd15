import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { openSandbox } from '../../src/stage.js';
import { takePicture } from '../../src/takePicture.js';
import { spawnTandem } from '../../src/tandem.js';

useBrowser();

it('ends the demo with a closing page, after the last answer was delivered', async () => {
  const sandbox = await openSandbox();
  const demo = spawnTandem(sandbox, sandbox.root, ['demo'], { npm_command: 'exec' });
  onTestFinished(() => void demo.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => demo.once('close', resolve));
  const said: string[] = [];
  const address = await new Promise<string>((resolve) => {
    createInterface({ input: demo.stdout }).on('line', (line) => {
      said.push(line);
      const [, url] = /in the page: (http:\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const page = await ReviewPage.openAt(address);
  await page.openReview('greeting.js');
  await page.accept('greeting.js');
  await page.openReview('README.md');
  await page.accept('README.md');
  await page.page.getByRole('heading', { name: 'The demo is over' }).waitFor();
  await page.page.getByText('In your own project, run npx tandem').waitFor();
  expect(await ended).toBe(0);
  expect(said.filter((line) => line.startsWith('Accepted.'))).toHaveLength(2);
  expect(await page.page.getByText('cannot be reached').count()).toBe(0);
  await takePicture(page.page, 'demo-end');
});
