import { EditorView } from '@codemirror/view';
import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * A dialog that is modal as long as it is in the page. When it goes, the focus is back where it was before the next
 * key: an element marked with `data-first` gets it at first, else the first that takes it.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-first="true"]')?.focus();
    return () => {
      // Closed before it leaves the page, it gives the focus back.
      dialog.close();
      if (document.activeElement instanceof HTMLElement) takeSelection(document.activeElement);
    };
  }, []);
  return ref;
}

/**
 * The browser's selection stays in a dialog that gave the focus back, and would fall out of it into the page: keys
 * would be lost until the editor notices.
 */
function takeSelection(focused: HTMLElement): void {
  const view = EditorView.findFromDOM(focused);
  if (view?.contentDOM !== focused) return;
  const { anchor, head } = view.state.selection.main;
  const from = view.domAtPos(anchor);
  const to = view.domAtPos(head);
  document.getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}
