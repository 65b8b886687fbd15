import { WidgetType } from '@codemirror/view';
import type { ChangePlace } from './changePlaces.js';
import { lineCounts } from './lineCounts.js';
import type { MarkActions } from './markActions.js';

/** The slim line that stands where a hunk was dropped. Without actions it is an empty one of the same height. */
export class DroppedHunkWidget extends WidgetType {
  readonly #place: ChangePlace;
  readonly #actions: MarkActions | undefined;
  readonly #isReadOnly: boolean;

  constructor(place: ChangePlace, actions: MarkActions | undefined, isReadOnly: boolean) {
    super();
    this.#place = place;
    this.#actions = actions;
    this.#isReadOnly = isReadOnly;
  }

  override eq(other: DroppedHunkWidget): boolean {
    return (
      this.#place.hunk === other.#place.hunk &&
      this.#actions === other.#actions &&
      this.#isReadOnly === other.#isReadOnly
    );
  }

  override get estimatedHeight(): number {
    return 28;
  }

  override toDOM(): HTMLElement {
    const line = document.createElement('div');
    line.className = 'cm-droppedHunk';
    const actions = this.#actions;
    if (actions === undefined) {
      line.setAttribute('aria-hidden', 'true');
      return line;
    }
    const words = document.createElement('span');
    words.textContent = `Dropped change: ${lineCounts(this.#place)}`;
    line.append(words);
    if (this.#isReadOnly) return line;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Keep it';
    button.title = 'Keep this change (F8)';
    button.addEventListener('mousedown', (event) => event.preventDefault());
    button.addEventListener('click', () => actions.onKeep(this.#place));
    line.append(button);
    return line;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
