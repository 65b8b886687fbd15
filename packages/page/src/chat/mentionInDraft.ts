import type { ChatSelection } from './chatHost.js';
import { mentionItem } from './completion.js';
import type { PanelState } from './panelState.js';

/** Mentions a file, or some of its lines, at the end of what is being written, and brings the caret behind it. */
export function mentionInDraft(panel: PanelState, selection: ChatSelection): void {
  const { insert, mention } = mentionItem(selection);
  const { draft, mentions } = panel.values;
  const token = insert.trimEnd();
  const isApart = draft === '' || /\s$/.test(draft);
  panel.set({
    view: 'chat',
    draft: `${draft}${isApart ? '' : ' '}${insert}`,
    mentions: [...mentions.filter((each) => each.token !== token), { ...mention, token }],
  });
  panel.focusComposer();
}
