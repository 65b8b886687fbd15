/** After so long without a key a caret in a text says nothing of what the person does. */
const typingMs = 15_000;

let lastInputAt = Number.NEGATIVE_INFINITY;

/** Listens for as long as the page lives. */
export function watchTyping(): void {
  const onInput = (): void => {
    lastInputAt = performance.now();
  };
  window.addEventListener('input', onInput, { capture: true, passive: true });
  window.addEventListener('keydown', onInput, { capture: true, passive: true });
}

/** Whether an element takes text: single keys typed in it are not commands. */
export function takesText(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable) return true;
  if (element instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(element.type);
  return element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
}

/** Whether the person is writing in this page right now: nothing may move away under their hands. */
export function isTyping(): boolean {
  if (!document.hasFocus() || !takesText(document.activeElement)) return false;
  return performance.now() - lastInputAt < typingMs;
}

const regionAttribute = 'data-region';

/** Marks an element as a part of the page that F6 goes to. */
export function region(name: string): { readonly [regionAttribute]: string; readonly tabIndex: -1 } {
  return { [regionAttribute]: name, tabIndex: -1 };
}

/** Moves the focus to the next or previous part of the page that can be seen, around the ends. */
export function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>(`[${regionAttribute}]`)].filter((element) =>
    element.checkVisibility(),
  );
  const at = regions.findIndex((element) => element.contains(document.activeElement));
  const next = at < 0 ? (step === 1 ? 0 : regions.length - 1) : (at + step + regions.length) % regions.length;
  const target = regions[next];
  if (target === undefined) return;
  (firstPlace(target) ?? target).focus();
}

/** What a person most likely goes to a part for, the likeliest first. */
const likelyPlaces = [
  '[contenteditable="true"]:not([aria-readonly="true"])',
  'textarea:not(:disabled)',
  '[aria-current]',
  '[data-row][tabindex="0"]',
  '[aria-selected="true"][tabindex="0"]',
  '[role="tree"]',
  'button:not(:disabled, [tabindex="-1"]), a[href], [tabindex="0"]',
];

function firstPlace(element: HTMLElement): HTMLElement | undefined {
  for (const place of likelyPlaces) {
    const found = [...element.querySelectorAll<HTMLElement>(place)];
    const visible = found.find((candidate) => candidate.checkVisibility());
    if (visible !== undefined) return visible;
  }
  return undefined;
}

/** Moves the focus to the tab in front, in the strip of tabs. */
export function focusSelectedTab(): void {
  document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
}
