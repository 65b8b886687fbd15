import { UnreachableError } from './callCompanion.js';

/** What the model receives where each edit is reviewed and the companion has not answered about one. */
export function denialReason(error: unknown): string {
  const why =
    error instanceof UnreachableError
      ? 'Tandem does not answer. Ask the user to start Tandem in this folder, or to start this agent without hooks.'
      : `this one could not be shown. ${error instanceof Error ? error.message : ''}`;
  return `The change was not written: the user reviews each change in Tandem first, and ${why}`;
}
