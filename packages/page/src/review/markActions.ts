import type { ChangePlace } from './changePlaces.js';

/** What a press on a mark asks for. */
export interface MarkActions {
  readonly onDrop: (place: ChangePlace) => void;
  readonly onKeep: (place: ChangePlace) => void;
  readonly onRevert: (place: ChangePlace) => void;
}
