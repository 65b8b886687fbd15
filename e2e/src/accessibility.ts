import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Display preferences of the operating system. */
const appearances = [
  { name: 'light', colorScheme: 'light', forcedColors: 'none', contrast: 'no-preference' },
  { name: 'dark', colorScheme: 'dark', forcedColors: 'none', contrast: 'no-preference' },
  { name: 'light, more contrast', colorScheme: 'light', forcedColors: 'none', contrast: 'more' },
  { name: 'dark, more contrast', colorScheme: 'dark', forcedColors: 'none', contrast: 'more' },
  { name: 'forced colours', colorScheme: 'dark', forcedColors: 'active', contrast: 'no-preference' },
] as const;

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules whose result depends on the appearance. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/** Expects that axe reports no violations in the current state of the page, in every appearance. */
export async function expectAccessible(page: Page): Promise<void> {
  const objections: string[] = [];
  for (const [index, { name, ...media }] of appearances.entries()) {
    await page.emulateMedia(media);
    await waitForTransitions(page);
    const runOnly = index === 0 ? { type: 'tag', values: tags } : { type: 'rule', values: rulesOfColour };
    for (const objection of await findObjections(page, { runOnly })) objections.push(`${name}: ${objection}`);
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', contrast: 'no-preference' });
  expect(objections, objections.join('\n')).toEqual([]);
}

/** Expects that axe reports no violations in a view of VS Code, whose theme decides about its colours. */
export async function expectAccessibleView(page: Page): Promise<void> {
  await waitForTransitions(page);
  // The view is a part of the editor's page.
  const rules = { 'page-has-heading-one': { enabled: false } };
  const objections = await findObjections(page, { runOnly: { type: 'tag', values: tags }, rules });
  expect(objections, objections.join('\n')).toEqual([]);
}

/** Even the shortest colour transition takes one frame; an inherited colour takes one more. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const findRunning = (): Animation[] =>
      document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    let running: Animation[] = [];
    do {
      await Promise.allSettled(running.map(({ finished }) => finished));
      await new Promise(requestAnimationFrame);
      running = findRunning();
    } while (running.length > 0);
  });
}

/** Loads axe into the page once. The debugger is not subject to the page's content security policy. */
async function findObjections(page: Page, options: object): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>(
    `axe.run(document, { ...${JSON.stringify(options)}, resultTypes: ['violations'] })`,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id} at ${target}\n${html}\n${failureSummary ?? ''}`),
  );
}

/** The accessible names of controls that are outside the visible area and cannot be scrolled into view. */
export function findUnreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isScrolled = (element: Element): boolean => {
      for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
        if (['auto', 'scroll'].includes(getComputedStyle(outer).overflowX)) return true;
      }
      return false;
    };
    const controls = document.querySelectorAll('button, a[href], input, [role="tab"], [role="textbox"]');
    return [...controls]
      .filter((element) => element.checkVisibility() && !isScrolled(element))
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        // Elements for screen readers only are one pixel wide; their position does not matter.
        return width > 1 && (left < 0 || right > window.innerWidth);
      })
      .map((element) => element.getAttribute('aria-label') ?? element.textContent ?? '');
  });
}
