import { ChangeSet } from '@codemirror/state';
import { RpcError } from '@tandem/rpc';
import * as z from 'zod';

/** One line of inserted text. A line end within it would make the text's lines and its offsets disagree. */
const line = z.string().regex(/^[^\r\n]*$/);
const count = z.int().min(0);
/** `ChangeSet.toJSON()`: a kept stretch is its length, a changed one its length followed by the new lines. */
const changeSet = z.array(z.union([count, z.tuple([count], line)]));

/**
 * Reads changes from the wire that are meant for a text of `length` code units. `ChangeSet.fromJSON` alone lets negative
 * lengths and line ends within lines pass. Throws `RpcError`.
 */
export function parseChanges(json: unknown, length: number): ChangeSet {
  const parsed = changeSet.safeParse(json);
  if (!parsed.success) {
    throw new RpcError('bad-params', 'The changes do not have the form of a CodeMirror change set.', {
      cause: parsed.error,
    });
  }
  const changes = ChangeSet.fromJSON(parsed.data);
  if (changes.length !== length) {
    throw new RpcError(
      'bad-params',
      `The changes are for a text of ${changes.length} code units; this one has ${length}.`,
    );
  }
  return changes;
}
