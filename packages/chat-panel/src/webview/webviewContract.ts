import { chatModel, chatPatches } from '@tandem/chat/model';
import { chatContract, chatSetup, lineRange, none, nothing, path } from '@tandem/rpc/schemas';
import * as z from 'zod';

const text = z.string();

/** What a chat panel in a webview calls on the editor's extension, by messages. The daemon's token stays in the editor. */
export const webviewContract = {
  ...chatContract,
  /** Asks the user for the address and the token of a running daemon, and connects to it. */
  'chat.askToConnect': { params: none, result: nothing },
  /** Opens the editor's view in which the user trusts the folder. */
  'trust.manage': { params: none, result: nothing },
  /** The files that a mention can name. */
  'files.all': { params: none, result: z.object({ files: z.array(z.object({ path, label: text })) }) },
  'file.open': { params: z.object({ path, line: z.int().min(1).optional() }), result: nothing },
  'diff.open': {
    params: z.object({ path, oldText: text.optional(), newText: text, toolCallId: text.optional() }),
    result: nothing,
  },
  'code.insert': { params: z.object({ code: text }), result: nothing },
  'text.save': {
    params: z.object({ name: z.string().regex(/^[\w-]+\.md$/), content: text }),
    result: nothing,
  },
} as const;
export type WebviewContract = typeof webviewContract;

/** A file, or some of its lines. */
const selection = z.object({ path, label: text, lines: lineRange.optional() });
export type WebviewSelection = z.infer<typeof selection>;

/** The panel's view of the editor. */
const editorState = z.object({
  folders: z.array(z.object({ path, name: text })),
  /** The active file, with its selected lines. */
  selection: selection.optional(),
  /** Open files, the last active one first. */
  recent: z.array(path),
});
export type WebviewEditorState = z.infer<typeof editorState>;

/** From the panel. */
export const fromWebviewChat = z.discriminatedUnion('kind', [
  /** The panel listens: it receives the whole state, and from then on changes. */
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('presence'), hasFocus: z.boolean(), isWriting: z.boolean() }),
  z.object({ kind: z.literal('call'), id: z.int(), method: z.string(), params: z.unknown() }),
]);
export type FromWebviewChat = z.infer<typeof fromWebviewChat>;

/** To the panel. */
export const toWebviewChat = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('state'), model: chatModel, setup: chatSetup, editor: editorState }),
  z.object({ kind: z.literal('patches'), patches: chatPatches }),
  z.object({ kind: z.literal('setup'), setup: chatSetup }),
  z.object({ kind: z.literal('editor'), editor: editorState }),
  /** The user answered this request in this window, outside of the panel. */
  z.object({ kind: z.literal('answered'), requestId: z.string() }),
  /** The user mentions this from outside of the panel. */
  z.object({ kind: z.literal('mention'), selection }),
  /** Move the focus to the prompt. */
  z.object({ kind: z.literal('focus') }),
  /** The `RpcAnswer` to the call with this id. */
  z.object({ kind: z.literal('answer'), id: z.int(), answer: z.unknown() }),
]);
export type ToWebviewChat = z.infer<typeof toWebviewChat>;
