import * as z from 'zod';
import { chatMethods, chatModel, chatPatches, chatSetup } from './chat.js';

/**
 * What a chat panel in a webview of an editor and the editor's extension post to each other. Both sides parse what they
 * get. The daemon's address is in it, its token never: it is asked for by the editor itself.
 */

const nothing = z.null();
const none = z.object({});
const text = z.string();
const path = z.string().min(1);
const lines = z.object({ first: z.int().min(0), last: z.int().min(0) });

const { 'chat.follow': _follow, 'chat.connect': _connect, ...shared } = chatMethods;

/** What the panel asks of the extension. All fail with a message for the person. */
export const webviewChatMethods = {
  ...shared,
  /** Asks the person for the address and the token of a daemon that runs, and connects to it. */
  'chat.askToConnect': { params: none, result: nothing },
  /** Opens where the user says whether they trust the folder. */
  'trust.manage': { params: none, result: nothing },
  /** The files that a mention can name. */
  'files.all': { params: none, result: z.object({ files: z.array(z.object({ path, label: text })) }) },
  'file.open': { params: z.object({ path, line: z.int().min(1).optional() }), result: nothing },
  'diff.open': {
    params: z.object({
      path,
      oldText: text.optional(),
      newText: text,
      toolCallId: text.optional(),
    }),
    result: nothing,
  },
  'code.insert': { params: z.object({ code: text }), result: nothing },
  'text.save': {
    params: z.object({ name: z.string().regex(/^[\w-]+\.md$/), content: text }),
    result: nothing,
  },
} as const;

export type WebviewChatMethod = keyof typeof webviewChatMethods;
export type WebviewChatParams<M extends WebviewChatMethod> = z.infer<
  (typeof webviewChatMethods)[M]['params']
>;
export type WebviewChatResult<M extends WebviewChatMethod> = z.infer<
  (typeof webviewChatMethods)[M]['result']
>;

/** A file, or some of its lines, counted from 0 and inclusive. */
const selection = z.object({ path, label: text, lines: lines.optional() });
export type WebviewSelection = z.infer<typeof selection>;

/** What the panel knows of the editor beside it. */
const editorState = z.object({
  folders: z.array(z.object({ path, name: text })),
  /** The file in front, with the lines that are selected in it. */
  selection: selection.optional(),
  /** Files that are open, the one in front last first. */
  recent: z.array(path),
});
export type WebviewEditorState = z.infer<typeof editorState>;

/** From the panel. */
export const fromWebviewChat = z.discriminatedUnion('kind', [
  /** It listens: it is told the whole state, and from then on what changes. */
  z.object({ kind: z.literal('ready') }),
  /** Whether keys go to the panel, and whether the person is writing in it. */
  z.object({ kind: z.literal('presence'), hasFocus: z.boolean(), isWriting: z.boolean() }),
  z.object({ kind: z.literal('ask'), id: z.int(), method: z.string(), params: z.unknown() }),
]);
export type FromWebviewChat = z.infer<typeof fromWebviewChat>;

/** To the panel. */
export const toWebviewChat = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('state'), model: chatModel, setup: chatSetup, editor: editorState }),
  z.object({ kind: z.literal('patches'), patches: chatPatches }),
  z.object({ kind: z.literal('setup'), setup: chatSetup }),
  z.object({ kind: z.literal('editor'), editor: editorState }),
  /** The person has answered this request outside of the panel: it was not somebody else. */
  z.object({ kind: z.literal('answered'), requestId: z.string() }),
  /** The user mentions this from outside of the panel. */
  z.object({ kind: z.literal('mention'), selection }),
  /** The caret is wanted where the person writes. */
  z.object({ kind: z.literal('focus') }),
  z.object({ kind: z.literal('done'), id: z.int(), result: z.unknown() }),
  z.object({ kind: z.literal('failed'), id: z.int(), message: z.string() }),
]);
export type ToWebviewChat = z.infer<typeof toWebviewChat>;
