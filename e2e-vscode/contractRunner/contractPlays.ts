import type { UserAction } from '@tandem/testing';

/**
 * The user actions that an extension can simulate in VS Code: all but granting and withdrawing trust, which has no API.
 * The tests in the browser do that by mouse.
 */
export const contractPlays: readonly UserAction[] = [
  'focus',
  'select',
  'type',
  'save',
  'close',
  'setDiagnostics',
  'reviewsInView',
  'edit',
  'accept',
  'reject',
];
