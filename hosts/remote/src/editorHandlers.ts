import { type Companion, requireInterrupted } from '@tandem/companion';
import { companionControl, showReview } from '@tandem/companion/companionControl';
import { type DeskView, deskCalls } from '@tandem/companion/deskCalls';
import type { Path } from '@tandem/core';
import { conformText, type HookMode } from '@tandem/reviews';
import { type DeskContract, type Handlers, type Outgoing, RpcError } from '@tandem/rpc';
import { type editorCalls, slashed, type viewCalls } from './protocol.js';
import { realPathOf } from './realPath.js';
import type { RemoteEditor } from './remoteEditor.js';
import { describeShown, type RemoteReview } from './remoteReview.js';

/** The terminals of the editor. */
interface EditorTerminals {
  /** The variables for the editor's terminals. */
  readonly environment: () => Record<string, string>;
  /** Changes which edits of agents that are started in terminals wait. */
  readonly setHooks: (hooks: HookMode) => Promise<void>;
}

/** What the companion does for the calls about what the editor shows. */
interface ViewServices extends EditorTerminals {
  /** Keeps what the user typed while the review was withdrawn. Returns whether it was. */
  readonly keepLate: (id: string, content: string) => boolean;
}

/** Answers the calls about what the editor shows. Errors are those of `toRpcError`. */
export function viewHandlers(
  editor: RemoteEditor,
  { environment, setHooks, keepLate }: ViewServices,
): Handlers<typeof viewCalls> {
  return {
    'context/changed': (context) => editor.contextChanged(context),
    'workspace/changed': (workspace) => {
      editor.workspaceChanged(workspace);
      return { environment: environment() };
    },
    async 'terminals/hooks'({ hooks }) {
      await setHooks(hooks);
      return { environment: environment() };
    },
    'diagnostics/changed': ({ paths }) => editor.diagnosticsChanged(paths),
    'document/saved': ({ path, text }) => editor.documentSaved(path, text),
    async 'review/edit'({ id, version, content }) {
      const shown = editor.find(id);
      if (shown?.review.state === 'pending') await shown.edit(version, content);
      else if (!keepLate(id, content)) throw notPending(id);
    },
    async 'review/show'({ id }) {
      requireShown(editor, id);
      await editor.showAgain(id);
    },
  };
}

/** Answers all calls. Errors are those of `toRpcError`. */
export function editorHandlers(of: {
  readonly editor: RemoteEditor;
  readonly companion: Companion;
  readonly terminals: EditorTerminals;
  readonly end: () => void;
}): Handlers<typeof editorCalls> {
  const { editor, companion, terminals, end } = of;
  const { present } = companion;
  const control = companionControl(companion, {});
  const view: DeskView = { find: (id) => requireShown(editor, id), whenClosed: () => editor.whenClosed };
  const desk = deskCalls(companion, view);
  const keepLate = (id: string, content: string): boolean => {
    const review = companion.reviews.get(id);
    if (review?.state !== 'withdrawn') return false;
    const text = conformText(content, review.content);
    if (text !== review.content) companion.interrupted.keepTyped(review, text);
    return true;
  };
  return {
    ...slashed(desk),
    ...viewHandlers(editor, { ...terminals, keepLate }),
    async 'review/accept'({ id, content, version, answer, overwrites }, context) {
      if (content !== undefined && editor.find(id) === undefined) keepLate(id, content);
      const shown = requireShown(editor, id);
      const { review, file } = shown;
      const isExact = content === undefined ? shown.isSeen(version) : await shown.edit(version, content);
      const text = review.content;
      const isSeen = (): boolean => overwrites === true || (isExact && review.content === text);
      const { 'review.accept': accept } = deskCalls(companion, { find: () => ({ review, file, isSeen }) });
      return accept({ id, answer, overwrites }, context);
    },
    async 'review/list'() {
      await companion.sweep();
      return {
        reviews: (await present.summaries(() => companion.reviews.pending)).map(withRealPath),
        interrupted: (await present.summaries(() => companion.apart)).map(withRealPath),
      };
    },
    async 'review/read'({ id }) {
      requireInterrupted(companion.apart, id);
      const { details, original, relation } = await showReview(companion, id);
      const path = realPathOf(details.path);
      return { review: describeShown(details, { path, original, version: 0, file: relation }) };
    },
    'session/list': () => companion.sessions.list(),
    async 'changes/list'(params, context) {
      return (await control['changes.list'](params, context)).map(withRealPath);
    },
    async 'changes/restore'({ path, ...rest }, context) {
      const restored: Outgoing<DeskContract['changes.restore']> = [];
      for (const spelled of spellingsOf(path, companion)) {
        restored.push(...(await desk['changes.restore']({ ...rest, path: spelled }, context)));
      }
      return restored.map(withRealPath);
    },
    async 'changes/keep'({ path, ...rest }, context) {
      const all = [];
      for (const spelled of spellingsOf(path, companion))
        all.push(await desk['changes.keep']({ ...rest, path: spelled }, context));
      return {
        files: all.flatMap(({ files }) => files).map(withRealPath),
        note: all.map(({ note }) => note).join(' '),
      };
    },
    async 'changes/hunks'({ path }, context) {
      const all = [];
      for (const spelled of spellingsOf(path, companion))
        all.push(await desk['changes.hunks']({ path: spelled }, context));
      const [first] = all;
      return {
        hunks: all.flatMap(({ hunks }) => hunks).sort((one, other) => one.start - other.start),
        actions: first?.actions ?? [],
      };
    },
    mention: ({ path, ...lines }, context) => desk.mention({ ...lines, path: realPathOf(path) }, context),
    status: () => companion.status(),
    shutdown() {
      // Send the answer first.
      setImmediate(end);
    },
  };
}

/** A pending review that the editor shows. Throws `RpcError`. */
export function requireShown(editor: RemoteEditor, id: string): RemoteReview {
  const shown = editor.find(id);
  if (shown !== undefined) return shown;
  throw notPending(id);
}

function notPending(id: string): RpcError {
  return new RpcError('not-found', `Review ${id} is not pending.`);
}

function withRealPath<Item extends { readonly path: Path }>(item: Item): Item {
  return { ...item, path: realPathOf(item.path) };
}

/** The spellings of a file's path with which agents have changed it; the path itself if there is none, or none is named. */
function spellingsOf(path: Path, companion: Companion): readonly Path[];
function spellingsOf(path: Path | undefined, companion: Companion): readonly (Path | undefined)[];
function spellingsOf(path: Path | undefined, { changes }: Companion): readonly (Path | undefined)[] {
  const wanted = path && realPathOf(path);
  const found = [...(path === undefined ? [] : changes.paths())].filter(
    (each) => realPathOf(each) === wanted,
  );
  return found.length > 0 ? found : [path];
}
