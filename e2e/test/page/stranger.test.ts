import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { pageAddress, useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';

useBrowser();

it('sends its token to no other program that has taken the port of its companion', async () => {
  const stage = await Stage.open();
  const { port, hash } = new URL(pageAddress(stage.tandem));
  const token = hash.slice('#key='.length);
  const { page } = await ReviewPage.open(stage.tandem);
  await stage.tandem.stop();

  const heard: string[] = [];
  const stranger = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.setHeader('content-type', 'application/json');
    response.end('{"proof":"I am the companion"}');
  });
  await new Promise<void>((resolve) => stranger.listen(Number(port), '127.0.0.1', resolve));
  onTestFinished(() => void stranger.close());

  await page.getByText("does not know this page's key").waitFor();
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.filter((request) => request.includes(token))).toEqual([]);
});
