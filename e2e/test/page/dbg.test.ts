import { it } from 'vitest';
import { useBrowser } from '../../src/browser.js';
import { ReviewPage } from '../../src/reviewPage.js';
import { Stage } from '../../src/stage.js';
useBrowser();
const lines = Array.from({ length: 300 }, (_, line) => `line ${line}, ${'and so on '.repeat(60)}`);
const text = `${lines.join('\n')}\n`;
it('x', async () => {
  const stage = await Stage.open();
  await stage.put('notes.txt', text);
  await stage.put('a.txt', text);
  const page = await ReviewPage.open(stage.tandem);
  await page.openFile('notes.txt');
  const scroller = page.document('notes.txt').locator('xpath=ancestor::*[contains(@class, "cm-scroller")]');
  await scroller.evaluate((element) => element.scrollTo({ top: 4320 }));
  await page.page.waitForTimeout(300);
  await page.openFile('a.txt');
  await page.page.reload();
  await page.document('a.txt').waitFor();
    console.log(JSON.stringify(await page.page.evaluate(async () => {
      const out: unknown[] = [JSON.parse(sessionStorage.getItem('tandem.tabs') ?? '').spots];
      const d = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollTop')!;
      Object.defineProperty(Element.prototype, 'scrollTop', { configurable: true, get() { return d.get!.call(this); }, set(v) { out.push(['set', (this as Element).className, v, (this as Element).scrollHeight]); d.set!.call(this, v); } });
      ([...document.querySelectorAll('[role=tab]')].find((b) => b.textContent?.startsWith('notes')) as HTMLElement).click();
      for (let i = 0; i < 30; i++) { await new Promise(requestAnimationFrame); const e = [...document.querySelectorAll('.cm-scroller')].find((x) => x.clientHeight > 0); out.push([e?.scrollTop, e?.scrollHeight, e?.querySelectorAll('.cm-line')[0]?.textContent?.slice(0,9)]); }
      Object.defineProperty(Element.prototype, 'scrollTop', d);
      return out;
    })));
});
