import { describeEntry } from '@tandem/companion';
import type { Path } from '@tandem/core';
import {
  describeExactDifferences,
  exactNotes,
  type FileContent,
  textOf,
  toDocumentText,
} from '@tandem/reviews';
import type { PageHandlers, PageServices } from './pageServices.js';

type ChangeCalls = Pick<PageHandlers, 'changes.list' | 'changes.read' | 'changes.resolve'>;

/** Calls about the changes of sessions. They name and read only files that accepted reviews changed. */
export function changeCalls({ companion, paths, changeWatch, openConflicts }: PageServices): ChangeCalls {
  const { changes, sessions } = companion;
  return {
    'changes.list': async ({ session }) => {
      changeWatch.follow(new Set(changes.paths()));
      const files = await changes.summaries(session);
      return files.map(({ entries, ...file }) => ({
        ...file,
        label: paths.label(file.path),
        entries: entries.map((entry) => ({
          ...describeEntry(entry),
          agentName: sessions.names.of(entry.agent, entry.session),
        })),
      }));
    },
    'changes.read': async ({ path, session }) => {
      const { before, now } = await changes.file(path, session);
      return {
        before: toDocumentText(textOf(before)),
        now: toDocumentText(textOf(now)),
        notes: notesOn(before, now),
      };
    },
    'changes.resolve': async (selection) => {
      const opened: Path[] = [];
      for (const conflict of await changes.conflicts(selection)) {
        const path = await paths.require(conflict.path);
        await openConflicts.open(path, conflict);
        opened.push(path);
      }
      return { paths: opened };
    },
  };
}

function notesOn(before: FileContent, now: FileContent): string[] {
  if (before.kind !== 'text' || now.kind !== 'text') return [];
  return exactNotes(describeExactDifferences(before.text, now.text)).map(({ text }) => text);
}
