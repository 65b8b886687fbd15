import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { useBrowser } from '../src/browser.js';
import { connectClaudeAgent, connectHttpAgent } from '../src/mcpAgents.js';
import { ReviewPage } from '../src/reviewPage.js';
import { Stage } from '../src/stage.js';
import { proposals, putWeatherStation } from './weatherStation.js';

useBrowser();

const file = fileURLToPath(new URL('../../docs/images/review.webp', import.meta.url));
/** The README shows it first. */
const maxBytes = 2_000_000;

/** The frames of an animation, each with the milliseconds for which it is shown. */
class Film {
  readonly #frames: { readonly picture: Buffer; readonly ms: number }[] = [];

  constructor(readonly page: Page) {}

  async show(ms: number): Promise<void> {
    this.#frames.push({ picture: await this.page.screenshot({ animations: 'disabled' }), ms });
  }

  async write(path: string): Promise<number> {
    const pictures = this.#frames.map(({ picture }) => picture);
    const delay = this.#frames.map(({ ms }) => ms);
    const options = { loop: 0, delay, quality: 70, effort: 6 };
    return (
      await sharp(pictures, { join: { animated: true } })
        .webp(options)
        .toFile(path)
    ).size;
  }

  get length(): number {
    return this.#frames.reduce((sum, { ms }) => sum + ms, 0);
  }
}

it('shows a review from the proposal to its undo, in about 15 seconds', async () => {
  const stage = await Stage.open({ workspace: 'weather-station' });
  await putWeatherStation(stage);
  const claude = await connectClaudeAgent(stage.tandem);
  const review = await ReviewPage.open(stage.tandem, {
    viewport: { width: 1080, height: 640 },
    colorScheme: 'dark',
  });
  const { page } = review;
  const film = new Film(page);
  // The name of this machine is of no interest to readers.
  await page
    .getByText(/^on /)
    .first()
    .evaluate((element) => element.replaceChildren('on laptop'));

  const gemini = await connectHttpAgent(stage.tandem, 'gemini');
  await gemini.propose(stage.path('src/statistics.ts'), proposals['src/statistics.ts']);
  const proposed = await claude.propose(stage.path('src/forecast.ts'), proposals['src/forecast.ts']);
  const text = await review.openReview('src/forecast.ts');
  for (const toast of await page.getByRole('button', { name: 'Dismiss' }).all()) await toast.click();
  await film.show(3_000);

  await text.getByText('No readings of').click();
  await page.keyboard.press('F8');
  await text.getByText('Dropped change').waitFor();
  await film.show(2_000);

  await text.getByText('hPa', { exact: false }).last().click();
  await page.keyboard.press('End');
  await page.keyboard.type(' //');
  for (const word of [' rounded', ' for', ' the', ' display']) {
    await page.keyboard.type(word);
    await text.getByText(word.trim()).last().waitFor();
    await film.show(word === ' display' ? 1_500 : 300);
  }

  await review.accept('src/forecast.ts');
  const answer = await proposed.answer;
  if (answer.kind === 'accepted') await stage.put('src/forecast.ts', answer.content);
  await page.getByText('Accepted src/forecast.ts').first().waitFor();
  await film.show(2_500);

  await page.getByRole('button', { name: 'Changes', exact: true }).click();
  const view = page.getByRole('region', { name: 'Changes', exact: true });
  await view.getByRole('textbox', { name: 'Now: src/forecast.ts' }).waitFor();
  await film.show(3_000);
  await view.getByRole('button', { name: /^Undo/ }).first().hover();
  await film.show(2_000);

  expect(film.length).toBeGreaterThan(14_000);
  expect(await film.write(file)).toBeLessThan(maxBytes);
});
