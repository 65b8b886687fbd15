import { CircleCheck, CircleX, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.js';
import { joinClasses } from './joinClasses.js';
import styles from './primitives.module.css';

const icons = { info: Info, good: CircleCheck, warning: TriangleAlert, error: CircleX } as const;

interface BannerProps {
  readonly kind?: keyof typeof icons;
  /** `bar`: over the whole width. `inset`: with round corners, inside a card. */
  readonly shape?: 'bar' | 'inset';
  /** Without one, the icon of its kind. */
  readonly icon?: LucideIcon | undefined;
  readonly children: ReactNode;
  /** Makes it a region of this name. */
  readonly label?: string | undefined;
  readonly role?: 'status' | 'alert' | undefined;
  /** Emphasised: the user's last action was refused because of it. */
  readonly isUrgent?: boolean | undefined;
  readonly actions?: ReactNode;
  readonly onDismiss?: (() => void) | undefined;
  /** The accessible name of the button that dismisses it. */
  readonly dismissLabel?: string | undefined;
  readonly className?: string | undefined;
}

/** A message in the flow of the page, with what can be done about it. */
export function Banner(props: BannerProps) {
  const { kind = 'info', shape = 'bar', label, role, onDismiss } = props;
  const Icon = props.icon ?? icons[kind];
  const Element = label === undefined ? 'div' : 'section';
  return (
    <Element
      className={joinClasses('line', styles.banner, styles[shape], props.className)}
      data-kind={kind}
      data-urgent={props.isUrgent}
      aria-label={label}
      role={role}
    >
      <Icon size={16} aria-hidden="true" />
      <div className={joinClasses('grow', styles.bannerText)}>
        {typeof props.children === 'string' ? <p>{props.children}</p> : props.children}
      </div>
      {props.actions && <div className="line wraps">{props.actions}</div>}
      {onDismiss !== undefined && (
        <IconButton icon={X} label={props.dismissLabel ?? 'Dismiss'} onClick={onDismiss} />
      )}
    </Element>
  );
}
