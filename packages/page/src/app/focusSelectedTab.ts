/** Moves the focus to the tab in front, in the strip of tabs. */
export function focusSelectedTab(): void {
  document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
}
