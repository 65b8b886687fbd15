import type { ChatModel } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';

/** Why the model that is chosen gets no picture, for the person. Undefined where it does, or the daemon does not say. */
export function pictureObstacle({ models }: ChatModel): string | undefined {
  const chosen = models.available.find(({ id }) => id === models.current);
  if (chosen?.takesImages !== false) return undefined;
  return `${visibleName(chosen.name)} does not accept pictures, according to the daemon. Choose another model to send one.`;
}

/** Whether the daemon leaves open what becomes of a picture. */
export function isPictureDoubtful({ models }: ChatModel): boolean {
  return models.available.find(({ id }) => id === models.current)?.takesImages === undefined;
}
