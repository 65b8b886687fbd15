import * as z from 'zod';
import type { PanelState } from '../chat/panelState.js';

/** The API of VS Code for a webview. */
export interface EditorApi {
  postMessage(message: unknown): void;
  /** The value of `setState`. It survives the webview, which is destroyed while it is hidden. */
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  /** Can be called once. */
  var acquireVsCodeApi: () => EditorApi;
}

const keptDraft = z.object({
  draft: z.string(),
  mentions: z.array(
    z.object({
      path: z.string(),
      token: z.string(),
      lines: z.object({ first: z.int(), last: z.int() }).optional(),
    }),
  ),
  images: z.array(z.object({ key: z.int(), mimeType: z.string(), data: z.string() })),
  edited: z.int().optional(),
});

/** Restores the draft and stores its changes. */
export function keepDraft(api: EditorApi, panel: PanelState): void {
  const kept = keptDraft.safeParse(api.getState());
  if (kept.success) panel.set(kept.data);
  panel.store.subscribe(({ draft, mentions, images, edited }, before) => {
    const isSame =
      draft === before.draft &&
      mentions === before.mentions &&
      images === before.images &&
      edited === before.edited;
    if (!isSame) api.setState({ draft, mentions, images, edited });
  });
}
