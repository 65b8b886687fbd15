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
