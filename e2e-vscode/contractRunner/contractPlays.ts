import type { UserAction } from '@tandem/core/testing';

/**
 * What of a user an extension can play in VS Code: all but granting and withdrawing trust, for which there is no
 * API; the tests in the browser click it.
 */
export const contractPlays: readonly UserAction[] = [
  'focus',
  'select',
  'type',
  'close',
  'setDiagnostics',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
];
