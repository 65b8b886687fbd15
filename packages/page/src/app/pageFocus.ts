/** After this time without a key, the user is no longer typing. */
const typingMs = 15_000;

let lastInputAt = Number.NEGATIVE_INFINITY;

/** Starts to listen. It never stops. */
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

/** Whether the user is typing in this page: then nothing may take the focus. */
export function isTyping(): boolean {
  if (!document.hasFocus() || !takesText(document.activeElement)) return false;
  return performance.now() - lastInputAt < typingMs;
}

const regionAttribute = 'data-region';

/** Marks an element as a region that F6 goes to. */
export function region(name: string): { readonly [regionAttribute]: string; readonly tabIndex: -1 } {
  return { [regionAttribute]: name, tabIndex: -1 };
}

/** Moves the focus to the next or previous visible region, around the ends. */
export function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>(`[${regionAttribute}]`)].filter((element) =>
    element.checkVisibility(),
  );
  const at = regions.findIndex((element) => element.contains(document.activeElement));
  const next = at < 0 ? (step === 1 ? 0 : regions.length - 1) : (at + step + regions.length) % regions.length;
  const target = regions[next];
  if (target === undefined) return;
  (focusTargetIn(target) ?? target).focus();
}

/** Moves the focus to the first question of the chat. Returns `false` if none is shown. */
export function focusChatQuestion(): boolean {
  const question = document.querySelector<HTMLElement>(`[${regionAttribute}="chat"] [data-first="true"]`);
  question?.focus();
  return question !== null;
}

/** Where the focus goes in a region, the best target first. */
const focusTargets = [
  '[contenteditable="true"]:not([aria-readonly="true"])',
  'textarea:not(:disabled)',
  '[aria-current]',
  '[data-row][tabindex="0"]',
  '[aria-selected="true"][tabindex="0"]',
  '[role="tree"]',
  'button:not(:disabled, [tabindex="-1"]), a[href], [tabindex="0"]',
];

function focusTargetIn(element: HTMLElement): HTMLElement | undefined {
  for (const selector of focusTargets) {
    const found = [...element.querySelectorAll<HTMLElement>(selector)];
    const visible = found.find((candidate) => candidate.checkVisibility());
    if (visible !== undefined) return visible;
  }
  return undefined;
}

/** Moves the focus to the active tab, in the strip of tabs. */
export function focusSelectedTab(): void {
  document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
}
