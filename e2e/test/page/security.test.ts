import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import { openTab, pageAddress, useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { type SdkAgent, sdkGenerations } from '../../src/sdkClients.js';
import { Stage, serve } from '../../src/stage.js';
import type { TandemServer } from '../../src/tandem.js';

useBrowser();

const inName = '<img src=x onerror=alert(1)>.html';
const inContent = '</script><script>alert(2)</script><svg onload=alert(3)><img src=x onerror=alert(4)>\n';
const inAgent = '<iframe srcdoc="<script>alert(5)</script>">';
const inTitle = '<img src=x onerror=alert(6)>';

describe('script', () => {
  it('in names of files and agents, in texts and in titles stays text', async () => {
    const stage = await Stage.open();
    const path = await stage.put(inName, inContent);
    const page = await ReviewPage.open(stage.tandem);
    const dialogs: string[] = [];
    page.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const agent = await connect(stage.tandem, inAgent);
    const claude = await ClaudeClient.connect(stage.tandem.endpoint('claude'));
    onTestFinished(() => claude.close());

    await page.treeItem(inName).click();
    await page.document(inName).getByText('alert(2)').waitFor();
    await page.sharing.getByText(inName).waitFor();
    await page.page.keyboard.press('Alt+m');
    await page.waitForMessage(inName);
    await agent.openDiff(path, `${inContent}${inContent}`);
    await page.waitForMessage(`proposes a change to ${inName}`);
    await page.openReview(inName);
    claude.beginOpenDiff(path, '', inTitle);
    await page.waiting(inName).filter({ hasText: 'Claude Code' }).click();
    await page.review(inName).getByText(inTitle).waitFor();
    await page.page.keyboard.press('ControlOrMeta+p');
    await page.page.keyboard.type('imgonerror');
    await page.page.getByRole('option', { name: inName, exact: true }).waitFor();
    await page.page.keyboard.press('Escape');
    await page.page.keyboard.press('Alt+a');
    await page.page.getByText(`${inAgent} 1.0.0`).waitFor();

    expect(await madeElements(page.page)).toEqual([]);
    expect(dialogs).toEqual([]);
  });

  it('that gets into the page nevertheless does not run and connects nowhere', async () => {
    const stage = await Stage.open();
    const page = await ReviewPage.open(stage.tandem, { expectedFaults: /Content Security Policy|asked / });
    const refused = await page.page.evaluate(async () => {
      const violations: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        violations.push(effectiveDirective);
      });
      const script = document.createElement('script');
      script.textContent = 'document.title = "taken over"';
      document.body.append(script);
      const button = document.createElement('button');
      button.setAttribute('onclick', 'document.title = "taken over"');
      document.body.append(button);
      button.click();
      // Another port of this machine represents any other server.
      const asked = await fetch('http://127.0.0.1:9/').then(
        () => 'asked',
        () => 'not asked',
      );
      const image = new Image();
      await new Promise((resolve) => {
        image.onload = resolve;
        image.onerror = resolve;
        image.src = 'http://127.0.0.1:9/secret.png';
      });
      return { asked, title: document.title, violations };
    });
    expect(refused.asked).toBe('not asked');
    expect(refused.title).toBe('Tandem - workspace');
    expect(refused.violations).toEqual(
      expect.arrayContaining(['script-src-elem', 'script-src-attr', 'connect-src', 'img-src']),
    );
  });
});

describe('invisible characters', () => {
  it('are shown in the names of files, folders and agents, and in texts', async () => {
    const stage = await Stage.open({ workspace: 'work\u202espace' });
    const path = await stage.put('invoice\u202etxt.exe', 'if (user\u202e) {\n');
    await stage.put('bell\u0007\u200b.txt', '');
    const agent = await connect(stage.tandem, 'trusted\u2066agent');
    const page = await ReviewPage.open(stage.tandem);
    await page.treeItem('bell␇⟨200B⟩.txt').waitFor();
    await page.treeItem('invoice⟨202E⟩txt.exe').click();
    await page.document('invoice⟨202E⟩txt.exe').locator('.cm-specialChar').waitFor();
    await agent.openDiff(path, 'if (admin\u202e) {\n');
    await page.waitForMessage('proposes a change to invoice⟨202E⟩txt.exe');
    await page.openReview('invoice⟨202E⟩txt.exe');
    expect(await page.proposal('invoice⟨202E⟩txt.exe').locator('.cm-specialChar').count()).toBe(1);
    expect(await page.page.title()).toBe('(1) Tandem - work⟨202E⟩space');
    expect(await hiddenCharacters(page.page)).toEqual([]);
    await page.page.keyboard.press('Alt+a');
    await page.page.getByText('trusted⟨2066⟩agent 1.0.0').waitFor();
    expect(await hiddenCharacters(page.page)).toEqual([]);
  });
});

describe('the key of the page', () => {
  it('is in no address after loading, in no history and in no storage that outlives the tab', async () => {
    const stage = await Stage.open();
    const address = pageAddress(stage.tandem);
    const key = keyIn(address);
    expect(key.length).toBeGreaterThan(30);
    const page = await openTab({ isAlone: true });
    const asked: string[] = [];
    page.on('request', (request) => {
      // The part after # is never sent.
      asked.push(`${request.url().replace(/#.*/, '')} ${request.postData() ?? ''}`);
    });
    page.on('websocket', (socket) => asked.push(socket.url()));
    await page.goto(address);
    await waitForConnection(page);

    const token = await tokenOf(page);
    expect(token).not.toBe(key);
    const kept = await page.evaluate(async () => ({
      address: location.href,
      local: JSON.stringify(localStorage),
      cookies: document.cookie,
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
    }));
    expect(kept.address).toBe(`${new URL(address).origin}/`);
    expect(kept).toMatchObject({ cookies: '', databases: 0, caches: 0 });
    expect(asked.length).toBeGreaterThan(3);
    const devtools = await page.context().newCDPSession(page);
    const { entries } = await devtools.send('Page.getNavigationHistory');
    const seen = [JSON.stringify(kept), ...asked, ...entries.map(({ url }) => url)];
    for (const secret of [key, token]) expect(seen.filter((each) => each.includes(secret))).toEqual([]);
    // The tab stores the token that it received, and nothing from an address.
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(key);

    // The tab keeps working, and another tab opens with the same address.
    await page.reload();
    await waitForConnection(page);
    const second = await openTab({ isAlone: true });
    await second.goto(address);
    await waitForConnection(second);
  });

  it('expires when the companion ends, and an open tab needs none', async () => {
    const stage = await Stage.open();
    const old = pageAddress(stage.tandem);
    const page = await openTab({ isAlone: true });
    await page.goto(old);
    await waitForConnection(page);
    await stage.tandem.stop();
    const restarted = await serve(stage.sandbox, stage.workspace);
    expect(new URL(pageAddress(restarted)).origin).toBe(new URL(old).origin);

    const fromHistory = await openTab({ isAlone: true });
    await fromHistory.goto(old);
    await notValid(fromHistory);
    expect(await fromHistory.evaluate(() => [location.href, sessionStorage.getItem('tandem.token')])).toEqual(
      [`${new URL(old).origin}/`, null],
    );
    // The open tab keeps working, also after it navigates to the old address.
    await waitForConnection(page);
    await page.goto(old);
    await page.reload();
    await waitForConnection(page);

    // A change that causes no load in the browser, such as another key after #, still opens the page.
    await fromHistory.goto(pageAddress(restarted));
    await waitForConnection(fromHistory);
    expect(new URL(fromHistory.url()).hash).toBe('');
  });

  it('is requested with a helpful message if it is missing or wrong', async () => {
    const stage = await Stage.open();
    const address = pageAddress(stage.tandem);
    const { origin } = new URL(address);
    const without = await openTab({ isAlone: true });
    await without.goto(origin);
    await without.getByRole('heading', { name: 'This page needs its key' }).waitFor();
    await without.getByText('tandem page').waitFor();
    await without.goto(address);
    await waitForConnection(without);
    const wrong = await openTab({ isAlone: true });
    await wrong.goto(`${origin}/#key=${'0'.repeat(43)}`);
    await notValid(wrong);
  });
});

const keyIn = (address: string): string =>
  new URLSearchParams(new URL(address).hash.slice(1)).get('key') ?? '';
const tokenOf = (page: Page): Promise<string> =>
  page.evaluate(() => sessionStorage.getItem('tandem.token') ?? '');
/** Waits for the connection: the empty list is visible before that. */
const waitForConnection = async (page: Page): Promise<void> => {
  await page.getByText('No pending reviews').waitFor();
  await expect.poll(() => tokenOf(page)).not.toBe('');
};
const notValid = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'This address is no longer valid' }).waitFor();

async function connect(tandem: TandemServer, name: string): Promise<SdkAgent> {
  const agent = await sdkGenerations.at(-1)?.connect(tandem.endpoint('gemini'), { name, version: '1.0.0' });
  if (agent === undefined) throw new Error('There is no SDK client.');
  onTestFinished(() => agent.client.close());
  return agent;
}

/** Elements that only injected markup can have created. */
function madeElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const foreign =
      'img:not(.cm-widgetBuffer), iframe, script:not([src]), object, embed, [onload], [onerror]';
    return [...document.querySelectorAll(foreign)].map(({ outerHTML }) => outerHTML);
  });
}

/** Texts for users or screen readers that contain invisible characters. */
function hiddenCharacters(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be found.
    const hidden = /[\u0000-\u0008\u000e-\u001f\u202a-\u202e\u2066-\u2069]/;
    const shown = [document.title];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) shown.push(nodes.currentNode.nodeValue ?? '');
    for (const element of document.body.querySelectorAll('[title], [aria-label], [placeholder]')) {
      for (const name of ['title', 'aria-label', 'placeholder']) shown.push(element.getAttribute(name) ?? '');
    }
    return shown.filter((text) => hidden.test(text));
  });
}
