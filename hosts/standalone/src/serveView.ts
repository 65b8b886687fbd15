import type { CompanionEvent } from '@tandem/companion/control';
import type { Disposable } from '@tandem/core';

/** What `tandem serve` writes while it runs. Disposing says goodbye. */
export interface ServeView extends Disposable {
  /** Something happened. */
  tell(event: CompanionEvent): void;
}
