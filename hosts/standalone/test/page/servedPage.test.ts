import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServedPage } from '../../src/page/servedPage.js';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

const options = () => {
  const { companion, editor, page: folder } = fixture;
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return { companion, editor, folder, version: '1', logger };
};

test('reports the address while the page is served, otherwise the reason', async () => {
  const page = new ServedPage();
  expect([page.address(), page.addressForOpening(), page.isOpen()]).toEqual([undefined, undefined, false]);
  expect(page.problem()).toContain('not served yet');
  await page.start(options());
  expect(page.address()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/);
  expect(page.problem()).toBeUndefined();
  await page.close();
  expect([page.address(), page.problem()]).toEqual([undefined, 'The companion is stopping.']);
  await page.close();
});

test('fails to start if the named port is taken, and otherwise uses another port', async () => {
  const page = new ServedPage();
  const { port } = fixture.server;
  await expect(page.start({ ...options(), port })).rejects.toMatchObject({
    code: 1,
    message: expect.stringContaining(`port ${port}: another program listens there`),
  });
  expect(page.problem()).toContain('EADDRINUSE');
  await page.start(options());
  expect(page.address()).not.toContain(String(port));
  await page.close();
});
