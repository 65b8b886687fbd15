import type { LucideIcon } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { ariaKeys, keyText } from './keys.js';

interface CommonProps {
  readonly onClick?: () => void;
  /** The key that does the same, such as `Mod+P`. It is added to the tooltip. */
  readonly keys?: string | undefined;
  /** Disables the button. It keeps its place in the tab order. */
  readonly isDisabled?: boolean | undefined;
  /** Shown as disabled for this reason, which is its tooltip. `onClick` is still called, so that it can explain. */
  readonly obstacle?: string | undefined;
  /** For a toggle. */
  readonly isPressed?: boolean | undefined;
  /** For a button that shows and hides something. */
  readonly isExpanded?: boolean | undefined;
  /** Gets the focus when its dialog opens. */
  readonly isFirst?: boolean | undefined;
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement> | undefined;
}

interface ButtonProps extends CommonProps {
  readonly children: ReactNode;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet' | 'link';
  readonly type?: 'button' | 'submit';
  readonly icon?: LucideIcon | undefined;
  /** The accessible name, where the text alone is ambiguous. */
  readonly label?: string | undefined;
  readonly tip?: string | undefined;
  /** The id of an element that describes the button. */
  readonly describedBy?: string | undefined;
}

/** A button with a text. */
export function Button({ kind = 'plain', ...props }: ButtonProps) {
  return <PlainButton {...props} className={joinClasses(styles[kind], props.className)} />;
}

interface IconButtonProps extends CommonProps {
  readonly icon: LucideIcon;
  /** The accessible name and the tooltip. */
  readonly label: string;
  /** A short text beside the icon. */
  readonly text?: string | undefined;
}

/** A quiet button with an icon. */
export function IconButton({ text, ...props }: IconButtonProps) {
  return (
    <PlainButton
      {...props}
      tip={props.label}
      className={joinClasses(styles.quiet, text === undefined && styles.iconOnly, props.className)}
    >
      {text !== undefined && <span>{text}</span>}
    </PlainButton>
  );
}

function PlainButton(props: Omit<ButtonProps, 'kind'>) {
  const { icon: Icon, keys, tip, obstacle, isDisabled = false, onClick } = props;
  const shownKeys = keys === undefined ? undefined : keyText(keys);
  const usualTip =
    tip === undefined || shownKeys === undefined ? (tip ?? shownKeys) : `${tip} (${shownKeys})`;
  return (
    <button
      ref={props.ref}
      type={props.type ?? 'button'}
      data-first={props.isFirst}
      className={joinClasses(styles.button, props.className)}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-pressed={props.isPressed}
      aria-expanded={props.isExpanded}
      aria-disabled={isDisabled || obstacle !== undefined ? true : undefined}
      aria-keyshortcuts={keys === undefined ? undefined : ariaKeys(keys)}
      title={obstacle ?? usualTip}
      onClick={(event) => {
        if (!isDisabled) onClick?.();
        else event.preventDefault();
      }}
    >
      {Icon !== undefined && <Icon size={16} aria-hidden="true" />}
      {props.children}
    </button>
  );
}

/** The class names of those that are there and true. */
export function joinClasses(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
