import * as z from 'zod';
import type { PanelState } from '../chat/panelState.js';
import type { EditorApi } from './editorApi.js';

/** What was being written, as it is kept while the webview is hidden and thrown away. */
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

/** Puts back what was being written, and keeps it from now on. */
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
