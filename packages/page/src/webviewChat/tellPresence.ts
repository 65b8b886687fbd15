/** Who has not pressed a key for so long is not writing. */
const writingMs = 800;

/**
 * Tells whether keys go to the panel and whether the person is writing, so that nothing is put in front of them in the
 * middle of a word. It lasts as long as the webview.
 */
export function tellPresence(
  tell: (presence: { readonly hasFocus: boolean; readonly isWriting: boolean }) => void,
): void {
  let last = '';
  let isWriting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    const presence = { hasFocus: document.hasFocus(), isWriting };
    const text = JSON.stringify(presence);
    if (text === last) return;
    last = text;
    tell(presence);
  };
  const write = (value: boolean): void => {
    clearTimeout(timer);
    isWriting = value;
    if (value) timer = setTimeout(() => write(false), writingMs);
    update();
  };
  addEventListener('focus', update);
  addEventListener('blur', () => write(false));
  document.addEventListener('keydown', ({ target }) => {
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) write(true);
  });
  update();
}

/** Leads keys that come from outside to where the person writes. A click goes where it was meant. */
export function welcomeFocus(focusComposer: () => void): void {
  let isPressed = false;
  addEventListener(
    'pointerdown',
    () => {
      isPressed = true;
    },
    true,
  );
  addEventListener(
    'pointerup',
    () => {
      isPressed = false;
    },
    true,
  );
  addEventListener('focus', () => {
    if (!isPressed && isNowhere()) goIn(focusComposer);
  });
}

/** Into the field, or where there is none to the first thing that can be done. */
export function goIn(focusComposer: () => void): void {
  // The editor gives the focus first, and then it is led in.
  if (!document.hasFocus()) return;
  focusComposer();
  requestAnimationFrame(() => {
    if (isNowhere()) document.querySelector<HTMLElement>('textarea, [data-setup] button')?.focus();
  });
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
