import { describeEntry, pausing } from '@tandem/companion';
import type { Path } from '@tandem/core';
import {
  describeExactDifferences,
  exactNotes,
  type FileContent,
  finishWithPauses,
  hunksInSteps,
  textOf,
  toDocumentText,
} from '@tandem/reviews';
import type { PageHandlers, PageServices } from './pageServices.js';

type ChangeCalls = Pick<PageHandlers, 'changes.list' | 'changes.read' | 'changes.resolve'>;

/** Calls about the changes of agents. They name and read only files with recorded changes. */
export function changeCalls({ companion, paths, changeWatch, openConflicts }: PageServices): ChangeCalls {
  const { changes, sessions } = companion;
  return {
    'changes.list': async ({ session }) => {
      changeWatch.follow(new Set(changes.paths()));
      const groups = await changes.groups(session);
      return groups.flatMap(({ files, key, waits: isWaiting, ...group }) =>
        files.map(({ entries, ...file }) => ({
          ...file,
          ...group,
          group: key,
          isWaiting,
          agentName: sessions.names.of(group.agent, group.session),
          label: paths.label(file.path),
          entries: entries.map((entry) => ({
            ...describeEntry(entry),
            agentName: sessions.names.of(entry.agent, entry.session),
          })),
        })),
      );
    },
    'changes.read': async ({ path, group, waits }) => {
      const { before, now, stamp } = await changes.file(path, { group, waits });
      const [earlier, present] = [toDocumentText(textOf(before)), toDocumentText(textOf(now))];
      const hunks = await finishWithPauses(hunksInSteps(earlier, present), pausing());
      return {
        before: earlier,
        now: present,
        hunks: hunks.map(({ original, proposed }) => ({ original, proposed, isKept: true })),
        stamp,
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
