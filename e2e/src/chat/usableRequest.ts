import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The least height in which what is asked can be read. */
const readable = 64;

/**
 * Expects that a request can be read and answered in the view's size: its first `atOnce` buttons are visible at the same
 * time, by default all, and the others and each part of what is asked by scrolling it into view.
 */
export async function expectUsable(
  page: Page,
  asked: Locator,
  parts: readonly Locator[],
  atOnce = Number.POSITIVE_INFINITY,
): Promise<void> {
  await asked.waitFor();
  const answers = await asked.locator('[data-answers] button').all();
  expect(answers.length).toBeGreaterThan(1);
  for (const answer of answers.slice(0, atOnce)) {
    expect(await visibleHeight(answer), (await answer.textContent()) ?? undefined).toBe('all');
  }
  expect(await asked.locator('[data-asked]').evaluate((body) => body.clientHeight)).toBeGreaterThanOrEqual(
    readable,
  );
  for (const part of [...answers.slice(atOnce), ...parts]) {
    await part.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
    expect(await visibleHeight(part), (await part.textContent()) ?? undefined).toBe('all');
  }
  expect(await page.evaluate(() => document.scrollingElement?.scrollWidth)).toBe(page.viewportSize()?.width);
}

/** Whether all of an element, up to the readable height, is where a pointer reaches it. */
function visibleHeight(element: Locator): Promise<'all' | string> {
  return element.evaluate((target, least) => {
    const { left, right, top, bottom } = target.getBoundingClientRect();
    const inset = 3;
    const last = Math.min(bottom, top + least) - inset;
    for (const x of [left + inset, right - inset]) {
      for (const y of [top + inset, last]) {
        const hit = document.elementFromPoint(x, y);
        if (!target.contains(hit)) return `hidden at ${x}, ${y} by ${hit?.outerHTML.slice(0, 200)}`;
      }
    }
    return 'all';
  }, readable);
}

/** Presses Tab until the focus is in this control, which is then visible. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      expect(await visibleHeight(control)).toBe('all');
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${String(control)}.`);
}
