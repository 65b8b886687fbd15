import type { ReactNode } from 'react';
import styles from './bar.module.css';

interface BarProps {
  readonly kind: 'info' | 'warning';
  /** What a screen reader calls it; by its kind without one. */
  readonly label?: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

/** A calm line across the page, below its top. It stays until what it tells of is over, or until it is dismissed. */
export function Bar({ kind, label, icon, children }: BarProps) {
  return (
    <section
      className={styles.bar}
      data-kind={kind}
      aria-label={label ?? (kind === 'warning' ? 'Connection' : 'Message')}
    >
      {icon}
      {children}
    </section>
  );
}
