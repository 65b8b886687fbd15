/** The user counts as typing for this long after a key. */
const typingMs = 800;

/** Reports whether the panel has the focus and whether the user is typing, so that nothing interrupts them. */
export function reportPresence(
  report: (presence: { readonly hasFocus: boolean; readonly isWriting: boolean }) => void,
): void {
  let last = '';
  let isWriting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    const presence = { hasFocus: document.hasFocus(), isWriting };
    const text = JSON.stringify(presence);
    if (text === last) return;
    last = text;
    report(presence);
  };
  const setWriting = (value: boolean): void => {
    clearTimeout(timer);
    isWriting = value;
    if (value) timer = setTimeout(() => setWriting(false), typingMs);
    update();
  };
  addEventListener('focus', update);
  addEventListener('blur', () => setWriting(false));
  document.addEventListener('keydown', ({ target }) => {
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) setWriting(true);
  });
  update();
}

/** Moves the focus into the composer when the webview receives it by keyboard. A click keeps its target. */
export function focusOnEntry(focusComposer: () => void): void {
  let isPressed = false;
  const press = (value: boolean) => (): void => {
    isPressed = value;
  };
  addEventListener('pointerdown', press(true), true);
  addEventListener('pointerup', press(false), true);
  addEventListener('focus', () => {
    if (!isPressed && hasNoFocus()) enter(focusComposer);
  });
}

/** Focuses the composer, or the first button of the setup view. */
export function enter(focusComposer: () => void): void {
  // The editor gives the webview the focus first.
  if (!document.hasFocus()) return;
  focusComposer();
  requestAnimationFrame(() => {
    if (hasNoFocus()) document.querySelector<HTMLElement>('textarea, [data-setup] button')?.focus();
  });
}

function hasNoFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
