import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** The least height in which what is asked can be read. */
const readable = 64;

/**
 * Expects that a request can be read and answered in the view's size: its first `atOnce` buttons are visible at the same
 * time, by default all, and the others and each part of what is asked by scrolling it into view.
 */
export async function expectUsable(
  asked: Locator,
  parts: readonly Locator[],
  atOnce = Number.POSITIVE_INFINITY,
): Promise<void> {
  await asked.waitFor();
  const answers = await asked.locator('[data-answers] button').all();
  expect(answers.length).toBeGreaterThan(1);
  for (const answer of answers.slice(0, atOnce)) {
    await expectVisible(answer);
  }
  expect(await asked.locator('[data-asked]').evaluate((body) => body.clientHeight)).toBeGreaterThanOrEqual(
    readable,
  );
  for (const part of [...answers.slice(atOnce), ...parts]) {
    await part.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
    await expectVisible(part);
  }
  // Nothing is wider than the view.
  expect(await asked.evaluate(() => document.scrollingElement?.scrollWidth)).toBe(
    await asked.evaluate(() => innerWidth),
  );
}

/** Expects that a part of a request is visible without scrolling. */
export async function expectVisible(part: Locator): Promise<void> {
  expect(await visibleHeight(part), (await part.textContent()) ?? undefined).toBe('all');
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
export async function tabTo(control: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) {
      return expectVisible(control);
    }
    await control.page().keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${String(control)}.`);
}
