import { EditorView } from '@codemirror/view';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { Button, IconButton, joinClasses } from './button.js';
import styles from './primitives.module.css';

interface DialogProps {
  readonly title: string;
  /** The title is for screen readers only. */
  readonly hidesTitle?: boolean;
  readonly size?: 'small' | 'medium' | 'large';
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the end. With them, `children` is a short text, which describes the dialog. */
  readonly actions?: ReactNode;
}

/** A modal dialog. Escape and a press beside it close it; then the focus returns to where it was. */
export function Dialog({ title, hidesTitle, size = 'medium', onClose, children, actions }: DialogProps) {
  const ref = useModal();
  const id = useId();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it by Escape; the click is on the backdrop.
    <dialog
      ref={ref}
      className={joinClasses(styles.dialog, styles[size])}
      aria-labelledby={`${id}-title`}
      aria-describedby={actions === undefined ? undefined : `${id}-text`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className={joinClasses('stack', styles.dialogFrame)}>
        <header className={hidesTitle ? 'visually-hidden' : joinClasses('line', styles.dialogHeader)}>
          <h2 id={`${id}-title`} className={styles.title}>
            {title}
          </h2>
          {!hidesTitle && <IconButton icon={X} label="Close" onClick={onClose} />}
        </header>
        {actions === undefined ? (
          children
        ) : (
          <div className={styles.dialogBody}>
            <div id={`${id}-text`}>{children}</div>
            <div className={joinClasses('line wraps', styles.actions)}>{actions}</div>
          </div>
        )}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly text: string;
  /** The verb on the button that confirms. */
  readonly confirm: string;
  /** Another way that loses nothing. */
  readonly other?: { readonly label: string; readonly onChoose: () => void };
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before something is lost. Its first button, Escape and a press beside it change nothing. */
export function ConfirmDialog({ title, text, confirm, other, onConfirm, onCancel }: ConfirmDialogProps) {
  return (
    <Dialog
      title={title}
      size="small"
      onClose={onCancel}
      actions={
        <>
          <Button isFirst onClick={onCancel}>
            Cancel
          </Button>
          {other !== undefined && (
            <Button
              onClick={() => {
                onCancel();
                other.onChoose();
              }}
            >
              {other.label}
            </Button>
          )}
          <Button kind="danger" onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}

/**
 * Makes a dialog modal while it is in the page. An element with `data-first` gets the focus, otherwise the first that can.
 * Afterwards the focus returns.
 */
function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-first="true"]')?.focus();
    return () => {
      // Closing it before it is removed returns the focus.
      dialog.close();
      if (document.activeElement instanceof HTMLElement) takeSelection(document.activeElement);
    };
  }, []);
  return ref;
}

/** Moves the browser's selection out of a closed dialog: keys would be lost until the editor notices. */
function takeSelection(focused: HTMLElement): void {
  const view = EditorView.findFromDOM(focused);
  if (view?.contentDOM !== focused) return;
  const { anchor, head } = view.state.selection.main;
  const from = view.domAtPos(anchor);
  const to = view.domAtPos(head);
  document.getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}
