import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openTab, pageAddress, useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

it('sends neither key nor token to another program that has taken the port of its companion', async () => {
  const stage = await Stage.open();
  const { port, hash } = new URL(pageAddress(stage.tandem));
  const key = hash.slice('#key='.length);
  const { page } = await ReviewPage.open(stage.tandem);
  const token = await page.evaluate(() => sessionStorage.getItem('tandem.token') ?? '');
  expect(token).toMatch(/^[\w-]{43}$/);
  await stage.tandem.stop();

  const requests: string[] = [];
  const stranger = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.setHeader('content-type', 'application/json');
    response.end('{"proofs":["I am the companion"]}');
  });
  await new Promise<void>((resolve) => stranger.listen(Number(port), '127.0.0.1', resolve));
  onTestFinished(() => void stranger.close());

  await page.getByText("This page's key is no longer valid").waitFor();
  expect(requests.length).toBeGreaterThan(0);
  // An address that was printed earlier leads there as well.
  const late = await openTab();
  await late.goto(pageAddress(stage.tandem)).catch(() => undefined);
  const secrets = [key, token];
  expect(requests.filter((request) => secrets.some((secret) => request.includes(secret)))).toEqual([]);
});
