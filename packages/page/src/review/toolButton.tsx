import type { LucideIcon } from 'lucide-react';
import { joinClasses } from '../primitives/joinClasses.js';
import buttons from './buttons.module.css';
import { ariaKeys } from './reviewKeys.js';

interface ToolButtonProps {
  readonly icon: LucideIcon;
  readonly label: string;
  /** The key that does the same. */
  readonly keys?: string;
  /** For a switch: whether it is on. */
  readonly isPressed?: boolean;
  readonly onClick: () => void;
}

/** A small button with an icon, named for those who do not see it and in its tooltip. */
export function ToolButton({ icon: Icon, label, keys, isPressed, onClick }: ToolButtonProps) {
  return (
    <button
      type="button"
      className={joinClasses(buttons.button, buttons.icon)}
      aria-label={label}
      title={keys === undefined ? label : `${label} (${keys})`}
      onClick={onClick}
      {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
      {...(keys !== undefined && { 'aria-keyshortcuts': ariaKeys(keys) })}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
}
