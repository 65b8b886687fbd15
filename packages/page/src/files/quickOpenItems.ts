import type { QuickItem } from '@tandem/chat-panel/fileSearch';
import { visibleName } from '@tandem/core';
import type { ReviewSummary } from '@tandem/rpc';
import { prepare } from 'fuzzysort';
import { hasConflict } from '../review/reviewWords.js';

export function reviewItem(review: ReviewSummary): QuickItem {
  const { id, label, agentName } = review;
  const shown = visibleName(label);
  const note = `Review, ${visibleName(agentName)}${hasConflict(review) ? ', conflict' : ''}`;
  return { key: `review ${id}`, kind: 'review', id, label: shown, note, target: prepare(shown) };
}

/** A query is a part of a name, and after a colon a line to go to, from 1. */
export function parseQuery(query: string): { readonly text: string; readonly line?: number } {
  const parts = /^(.*?):(\d*)$/s.exec(query.trim());
  if (parts === null) return { text: query.trim() };
  const [, text = '', line = ''] = parts;
  return line === '' ? { text } : { text, line: Number(line) };
}
