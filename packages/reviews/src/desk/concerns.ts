import { type Path, visibleName } from '@tandem/core';
import type { PathMarks } from '../record/pathMarks.js';
import type { FileContent } from '../text/mergeWithFile.js';

/** Why accepting needs the user's consent, in the order in which views name it. */
export const concernKinds = [
  'git', // Git runs programs that its own files name.
  'runs', // It runs by itself, or decides what may run.
  'access', // It gives access to accounts or computers.
  'executable', // It is a program.
  'hidden', // The agent may not have seen it.
  'outside', // It is outside the workspace, also by a link.
  'binary', // It is not text.
  'unsaved', // The editor has unsaved changes to it.
  'deleted', // It was deleted since the proposal.
  'conflict', // It changed on the lines that the proposal changes.
  'markers', // The text contains conflict markers.
] as const;

/** One of `concernKinds`. */
export type ConcernKind = (typeof concernKinds)[number];

/** What the user has to know before the file of a review is written. */
export interface Concern {
  readonly kind: ConcernKind;
  /** One or two sentences. */
  readonly text: string;
}

/** Whether the concern is about what the file is and where it is, and not about what happened since the proposal. */
export function isAboutFile(kind: string): boolean {
  return concernKinds.slice(0, concernKinds.indexOf('unsaved')).some((known) => known === kind);
}

/** What concerns depend on: a review has it. */
interface FileOfReview {
  readonly proposal: { readonly path: Path };
  readonly marks: PathMarks;
  readonly original: FileContent;
}

/** The concerns about what the file is and where it is. They are known from the proposal on. */
export function concernsOf({ proposal: { path }, marks, original }: FileOfReview): readonly Concern[] {
  const { isInGitFolder, special, isExecutable, heldBack, isOutsideWorkspace, leadsTo } = marks;
  const found: Concern[] = [];
  if (isInGitFolder)
    found.push({
      kind: 'git',
      text: 'This file is in a .git folder. Git may run commands that it contains.',
    });
  if (special !== undefined) found.push({ kind: special.kind, text: special.text });
  if (isExecutable) found.push({ kind: 'executable', text: 'This file is a program that can be run.' });
  if (heldBack !== undefined) {
    const reason = visibleName(heldBack);
    found.push({
      kind: 'hidden',
      text: `This file is hidden from the agent: ${reason}. The agent may not have seen it; accepting may overwrite your secrets.`,
    });
  }
  if (isOutsideWorkspace) {
    found.push({
      kind: 'outside',
      text: `This file is outside the workspace folders: ${visibleName(leadsTo ?? path)}.`,
    });
  } else if (leadsTo !== undefined && found[0] !== undefined) {
    const [{ kind, text }] = found;
    found[0] = { kind, text: `${text} The path is a link to ${visibleName(leadsTo)}.` };
  }
  if (original.kind === 'binary')
    found.push({ kind: 'binary', text: 'This file is binary. The proposal replaces all of it with text.' });
  return found;
}

const stateTexts = {
  unsaved:
    'This file has unsaved changes in the editor. The agent does not see them when it writes the file. Save first to merge them into the proposal.',
  deleted: 'This file was deleted. If you accept, it is created again.',
  conflict:
    'This file changed on disk, on lines that this proposal also changes. If you accept, those changes on disk are lost.',
  markers: 'The text contains conflict markers (<<<<<<<).',
} as const satisfies Partial<Record<ConcernKind, string>>;

/** A concern about what happened since the proposal, for a view that shows it before the question. */
export function concernSince(kind: keyof typeof stateTexts): Concern {
  return { kind, text: stateTexts[kind] };
}

/** The name of a concern for a list, in a few words. */
export function concernLabel(kind: string): string {
  return Object.hasOwn(labels, kind) ? labels[kind as ConcernKind] : kind;
}

/** The same at the beginning of a line. */
export function concernTitle(kind: string): string {
  const label = concernLabel(kind);
  return label.charAt(0).toUpperCase() + label.slice(1);
}

const labels: Readonly<Record<ConcernKind, string>> = {
  git: 'in a .git folder',
  runs: 'runs commands',
  access: 'gives access',
  executable: 'program',
  hidden: 'hidden from the agent',
  outside: 'outside the workspace',
  binary: 'binary',
  unsaved: 'unsaved changes',
  deleted: 'deleted',
  conflict: 'changed on disk',
  markers: 'conflict markers',
};
