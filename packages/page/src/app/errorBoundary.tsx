import { Component, type ReactNode } from 'react';
import { messageOf } from '../client/loading.js';
import { Button } from '../primitives/button.js';
import { EmptyState } from '../primitives/layout.js';

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
        <Button onClick={() => this.setState({ message: undefined })}>Try again</Button>
      </EmptyState>
    );
  }
}
