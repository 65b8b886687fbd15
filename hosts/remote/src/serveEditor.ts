import type { Readable, Writable } from 'node:stream';
import {
  type Companion,
  type CompanionOptions,
  createCompanion,
  type Journal,
  toRpcError,
} from '@tandem/companion';
import { agentIds, descriptorOf, isAgentId, startWords } from '@tandem/companion/agents';
import type { HookProgram } from '@tandem/companion/hooks';
import { TerminalHooks } from '@tandem/companion/terminalHooks';
import {
  type Clock,
  type Disposable,
  defaultDenyList,
  describeError,
  type Logger,
  maxSharedSelectionBytes,
  type Path,
} from '@tandem/core';
import type { FileFollower, HookMode, Review } from '@tandem/reviews';
import { createDispatcher } from '@tandem/rpc';
import { acceptEditor, type EditorSession } from './acceptEditor.js';
import { type Connection, maxMessageBytes } from './connection.js';
import { editorHandlers } from './editorHandlers.js';
import { editorCalls, type InitializeParams, maxSavedTextBytes } from './protocol.js';
import { realPathOf } from './realPath.js';
import { RemoteEditor } from './remoteEditor.js';
import { reportToEditor } from './reportToEditor.js';
import { callsOfOne, handlersOfOne } from './versionOne.js';

/** What the program around the companion has. */
export interface EditorServices {
  readonly version: string;
  readonly logger: Logger;
  /** See `CompanionOptions`. */
  readonly changes?: CompanionOptions['changes'];
  /** How the user runs the `tandem` command. Without it, it is looked for on the PATH. */
  readonly command?: string;
  /** The program for the hooks of agents in terminals; without it, they get none. */
  readonly hookProgram?: HookProgram | undefined;
  /** For tests. */
  readonly clock?: Clock;
  /** `folders` may change. `window` names this window of the editor. */
  readonly openJournal: (folders: () => readonly Path[], window: string) => Journal | undefined;
  readonly writeFile: NonNullable<CompanionOptions['writeFile']>;
  /** Follows the file of a review. `folders`: those of the workspace. */
  readonly followFile: (review: Review, folders: readonly Path[]) => FileFollower;
  /** Calls `onTouched` whenever a file, which need not exist, may have changed. */
  readonly watchFile: (path: Path, folders: readonly Path[], onTouched: () => void) => Disposable;
  /** Receives the companion, whose files must be removed at any end of the process. */
  readonly onCompanion: (companion: Companion) => void;
}

/**
 * Serves one editor over two streams, until it ends, asks for the end, or `ended` resolves. Resolves to whether the companion
 * could start.
 */
export async function serveEditor(
  streams: { readonly input: Readable; readonly output: Writable },
  services: EditorServices,
  ended: Promise<unknown>,
): Promise<boolean> {
  const { logger } = services;
  let end = (): void => {};
  const isOver = new Promise<void>((resolve) => {
    end = resolve;
  });
  void ended.then(end);
  let served: Promise<ServedEditor> | undefined;
  const connection = acceptEditor({
    ...streams,
    logger,
    start(opened, initialize) {
      served = startServing(opened, initialize, services, end);
      // The answer first.
      served.catch(() => setImmediate(end));
      return served;
    },
  });
  connection.onDidEnd(() => end());
  await isOver;
  const last = await served?.catch((error: unknown) => {
    logger.error('the companion cannot start', { error: describeError(error) });
    return undefined;
  });
  if (last !== undefined) {
    await last.companion.journal.write();
    await last.companion.stop();
    last.dispose();
  }
  connection.dispose();
  return served === undefined || last !== undefined;
}

interface ServedEditor extends EditorSession, Disposable {
  readonly companion: Companion;
}

async function startServing(
  connection: Connection,
  initialize: InitializeParams,
  services: EditorServices,
  end: () => void,
): Promise<ServedEditor> {
  const { version, logger, writeFile } = services;
  const { settings } = initialize;
  const editor: RemoteEditor = new RemoteEditor({
    connection,
    initialize,
    followFile: (review) => services.followFile(review, editor.workspace.folders()),
    logger,
  });
  const { info, workspace } = editor;
  const journal = services.openJournal(() => workspace.folders(), `${info.name}-${info.pid}`);
  const companion = await createCompanion({
    ...(services.clock && { clock: services.clock }),
    ...(services.command !== undefined && { command: services.command }),
    editor,
    version,
    logger,
    async writeFile(path, text, conditions) {
      await writeFile(path, text, conditions);
      connection.notify('file/written', { path: realPathOf(path) });
    },
    changes: settings.changes === false ? undefined : services.changes,
    ...(journal && { journal }),
    ...(settings.agents && { agents: settings.agents.filter(isAgentId) }),
    ...(settings.deny && { denyList: [...defaultDenyList, ...settings.deny] }),
    ...(settings.gitignore && { respectsGitignore: true }),
    ...(settings.startsPaused && { startsPaused: true }),
  });
  services.onCompanion(companion);
  editor.attach((review) => companion.present.contextOf(review));
  const hooks =
    services.hookProgram &&
    new TerminalHooks({ companion, program: services.hookProgram, mode: settings.hooks ?? 'follow', logger });
  const environment = () => ({ ...companion.agents.environment(), ...hooks?.environment() });
  const setHooks = async (mode: HookMode) => hooks?.setMode(mode);
  const handlers = editorHandlers({ editor, companion, terminals: { environment, setHooks }, end });
  const failures = {
    toRpcError,
    onFault: (error: unknown) => logger.error('a call failed', { error: describeError(error) }),
  };
  const dispatch =
    initialize.protocolVersion === 1
      ? createDispatcher({ contract: callsOfOne, handlers: handlersOfOne(handlers, companion), ...failures })
      : createDispatcher({ contract: editorCalls, handlers, ...failures });
  const reports = reportToEditor({
    companion,
    editor,
    connection,
    watchFile: (path, onTouched) => services.watchFile(path, workspace.folders(), onTouched),
    logger,
  });
  void companion.warmUp();
  await hooks?.place();
  return {
    companion,
    dispatch,
    result: {
      protocolVersion: initialize.protocolVersion,
      tandem: { version, pid: process.pid },
      environment: environment(),
      agents: (settings.agents?.filter(isAgentId) ?? agentIds).map((id) => {
        const descriptor = descriptorOf(id);
        return { id, displayName: descriptor.displayName, command: [...startWords(descriptor)] };
      }),
      limits: {
        selectionBytes: maxSharedSelectionBytes,
        messageBytes: maxMessageBytes,
        savedTextBytes: maxSavedTextBytes,
      },
    },
    dispose() {
      hooks?.dispose();
      reports.dispose();
      editor.dispose();
    },
  };
}
