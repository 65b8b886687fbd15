import { messageOf } from '@tandem/core';
import { CircleCheck, CircleX, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import { Component, type ComponentProps, type ReactNode } from 'react';
import { Button, IconButton, joinClasses } from './button.js';
import { keyLabels } from './keys.js';
import styles from './primitives.module.css';

/** A row of controls. */
export function Toolbar({ label, className, ...props }: ComponentProps<'div'> & { readonly label: string }) {
  return (
    <div
      {...props}
      role="toolbar"
      aria-label={label}
      className={joinClasses('line', styles.toolbar, className)}
    />
  );
}

/** Pushes what follows to the end of a row. */
export function Spacer() {
  return <span className="grow" />;
}

interface RowProps extends ComponentProps<'div'> {
  readonly icon?: LucideIcon | undefined;
}

/** One line of a list. `aria-selected` and `aria-current` mark it. */
export function Row({ icon: Icon, className, children, ...props }: RowProps) {
  return (
    <div {...props} className={joinClasses(styles.row, className)}>
      {Icon !== undefined && <Icon size={16} aria-hidden="true" />}
      {children}
    </div>
  );
}

interface RowButtonProps extends ComponentProps<'button'> {
  readonly icon?: LucideIcon | undefined;
}

/** A line of a list that can be pressed as a whole. */
export function RowButton({ icon: Icon, className, children, ...props }: RowButtonProps) {
  return (
    <button type="button" {...props} className={joinClasses(styles.row, className)}>
      {Icon !== undefined && <Icon size={16} aria-hidden="true" />}
      {children}
    </button>
  );
}

interface ListProps extends ComponentProps<'ul'> {
  readonly label?: string | undefined;
}

/** A list with a gap between its items. */
export function List({ label, className, ...props }: ListProps) {
  return <ul {...props} aria-label={label} className={joinClasses(styles.list, className)} />;
}

interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  readonly as?: 'section' | 'li' | 'form' | 'article';
  /** Colours its edge. */
  readonly kind?: 'error' | 'warning' | 'note' | undefined;
}

/** A box with a border. */
export function Card({ as = 'section', kind, className, ...props }: CardProps) {
  // The attributes that are used are those of every element.
  const Element = as as 'section';
  return <Element {...props} data-kind={kind} className={joinClasses(styles.card, className)} />;
}

interface BadgeProps {
  readonly kind?: 'good' | 'warning' | undefined;
  readonly icon?: LucideIcon | undefined;
  readonly tip?: string | undefined;
  readonly children: ReactNode;
}

/** A short state beside a name. */
export function Badge({ kind, icon: Icon, tip, children }: BadgeProps) {
  return (
    <span className={styles.badge} data-kind={kind} title={tip}>
      {Icon !== undefined && <Icon size={13} aria-hidden="true" />}
      <span className="truncate">{children}</span>
    </span>
  );
}

interface CountProps {
  readonly count: number;
  /** What is counted, for screen readers. */
  readonly what: string;
}

/** A number in the accent colour; nothing for zero. */
export function Count({ count, what }: CountProps) {
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      {count}
      <span className="visually-hidden"> {what} </span>
    </span>
  );
}

interface EmptyStateProps {
  /** A picture above the title. */
  readonly mark?: ReactNode;
  readonly title?: ReactNode;
  readonly role?: 'alert' | 'status' | undefined;
  readonly children?: ReactNode;
}

/** What a view shows when it has nothing else to show. */
export function EmptyState({ mark, title, role, children }: EmptyStateProps) {
  return (
    <div className={joinClasses('stack scrolls', styles.empty)} role={role}>
      {mark}
      {title !== undefined && <h2 className={styles.emptyTitle}>{title}</h2>}
      {children}
    </div>
  );
}

/** A key as it is printed on this machine's keyboard. */
export function KeyHint({ keys }: { readonly keys: string }) {
  return (
    <span className={styles.keys}>
      {keyLabels(keys).map((part) => (
        <kbd key={part} className={styles.key}>
          {part}
        </kbd>
      ))}
    </span>
  );
}

/** The state of a connection, beside its text. */
export function StatusDot({ state }: { readonly state: 'good' | 'pending' | 'bad' }) {
  return <span className={styles.dot} data-state={state} aria-hidden="true" />;
}

interface ErrorBoundaryProps {
  /** The part of the page, for the user. */
  readonly name: string;
  readonly children: ReactNode;
}

/** Limits an error in a component to one part of the page. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly message?: string | undefined }> {
  override state: { readonly message?: string | undefined } = {};

  static getDerivedStateFromError(error: unknown) {
    return { message: messageOf(error) };
  }

  override render() {
    if (this.state.message === undefined) return this.props.children;
    return (
      <EmptyState role="alert" title={`${this.props.name} cannot be shown`}>
        <p>{this.state.message}</p>
        <p>What you typed is kept. The rest of the page still works.</p>
        <Button onClick={() => this.setState({ message: undefined })}>Retry</Button>
      </EmptyState>
    );
  }
}

interface LiveRegionProps {
  readonly label: string;
  readonly announcement: Announcement;
}

/** Announces texts to screen readers. */
export function LiveRegion({ label, announcement: { text, serial } }: LiveRegionProps) {
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label={label}>
      {/* A new element each time, so that a repeated sentence is announced again. */}
      <span key={serial}>{text}</span>
    </div>
  );
}

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

/** What is announced to screen readers, and when; `serial` distinguishes two equal texts. */
export interface Announcement {
  readonly text: string;
  readonly serial: number;
  readonly at: number;
}

export const noAnnouncement: Announcement = { text: '', serial: 0, at: 0 };

/** Announcements that follow the first one within this time, in milliseconds, are made together with it. */
const togetherMs = 100;

/** The announcement of `text` after another one, which it would replace before a screen reader has read it. */
export function nextAnnouncement(
  { text: last, serial, at: lastAt }: Announcement,
  text: string,
): Announcement {
  const at = performance.now();
  const isTogether = text !== '' && last !== '' && last !== text && at - lastAt < togetherMs;
  return { text: isTogether ? `${last} ${text}` : text, serial: serial + 1, at: isTogether ? lastAt : at };
}
