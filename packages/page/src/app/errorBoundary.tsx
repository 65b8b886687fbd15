import { Component, type ReactNode } from 'react';
import { Button } from '../primitives/button.js';
import styles from './emptyState.module.css';

interface ErrorBoundaryProps {
  /** What failed, as a person calls it. */
  readonly name: string;
  readonly children: ReactNode;
}

/** Keeps a part of the page that fails from taking the others with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly message?: string | undefined }> {
  override state: { readonly message?: string | undefined } = {};

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (this.state.message === undefined) return this.props.children;
    return (
      <div className={styles.empty} role="alert">
        <h2 className={styles.title}>{this.props.name} cannot be shown</h2>
        <p className={styles.text}>{this.state.message}</p>
        <p className={styles.text}>What you typed is kept. The rest of the page still works.</p>
        <Button onClick={() => this.setState({ message: undefined })}>Try again</Button>
      </div>
    );
  }
}
