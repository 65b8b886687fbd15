import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { requireDone, toRpcError } from '@tandem/companion';
import {
  type Disposable,
  type Logger,
  maxSharedSelectionBytes,
  messageOf,
  systemClock,
  toDisposable,
  withTimeout,
} from '@tandem/core';
import {
  acceptReview,
  type Editor,
  FileFollower,
  type Review,
  type ReviewSurroundings,
  toDocumentText,
} from '@tandem/reviews';
import { createDispatcher, type Handlers } from '@tandem/rpc';
import { nothing } from '@tandem/rpc/schemas';
import {
  type EditorUnderTest,
  type EditorUser,
  runEditorContract,
  type UserAction,
  userActions,
} from '@tandem/testing';
import * as z from 'zod';
import { acceptEditor } from './acceptEditor.js';
import { type Connection, maxMessageBytes } from './connection.js';
import { requireShown, viewHandlers } from './editorHandlers.js';
import { editorCalls, maxSavedTextBytes, viewCalls } from './protocol.js';
import { RemoteEditor } from './remoteEditor.js';

/** An editor that runs the first time may compile. */
const startLimitMs = 20_000;
/** What the driver shows is not dangerous. */
const noSurroundings: ReviewSurroundings = {
  readFile: async () => undefined,
  marks: async () => ({ isOutsideWorkspace: false }),
  isUnsaved: async () => false,
  save: async () => true,
  isKept: () => true,
  label: (path) => path,
};

/** An editor whose user can be played over its connection: see `test/…` in the protocol. */
export interface CheckedEditor extends Disposable {
  /** What its driver can play. */
  readonly actions: readonly UserAction[];
  /** The editor with an empty workspace of its own. */
  readonly stage: () => Promise<EditorUnderTest>;
  /** Asks the driver to end. Never rejects. */
  readonly shutdown: () => Promise<void>;
}

/** Waits for an editor to initialize. Rejects if it does not. */
export async function connectForCheck(
  streams: { readonly input: Readable; readonly output: Writable },
  logger: Logger,
): Promise<CheckedEditor> {
  let connection: Connection | undefined;
  const initialized = new Promise<CheckedEditor>((resolve, reject) => {
    connection = acceptEditor({
      ...streams,
      logger,
      async start(opened, initialize) {
        const editor = new RemoteEditor({
          connection: opened,
          initialize,
          followFile: (review) => untouched(review, logger),
          logger,
        });
        resolve(checked(editor, opened, initialize.capabilities.test ?? []));
        return {
          dispatch: createDispatcher({
            contract: checkedCalls,
            handlers: checkHandlers(editor),
            toRpcError,
            onFault: (error) => logger.error(String(error)),
          }),
          result: {
            protocolVersion: initialize.protocolVersion,
            tandem: { version: 'check', pid: process.pid },
            environment: {},
            agents: [],
            limits: {
              selectionBytes: maxSharedSelectionBytes,
              messageBytes: maxMessageBytes,
              savedTextBytes: maxSavedTextBytes,
            },
          },
        };
      },
    });
    connection.onDidEnd(() => reject(new Error('The editor ended before it sent "initialize".')));
  });
  try {
    return await withTimeout(systemClock, startLimitMs, initialized);
  } catch (error) {
    connection?.dispose();
    throw error;
  }
}

/** What the contract needs: there are no agents. */
const checkedCalls = {
  ...viewCalls,
  'review/accept': { ...editorCalls['review/accept'], result: nothing },
  'review/reject': { ...editorCalls['review/reject'], result: nothing },
} as const;

function checkHandlers(editor: RemoteEditor): Handlers<typeof checkedCalls> {
  return {
    ...viewHandlers(editor, {
      environment: () => ({}),
      setHooks: async () => {},
      keepLate: () => false,
    }),
    async 'review/accept'({ id, version, content, answer = {} }) {
      const shown = requireShown(editor, id);
      const { review, file } = shown;
      if (content !== undefined) await shown.edit(version, content);
      requireDone(await acceptReview(review, { ...answer, file }, noSurroundings), review.proposal.path);
    },
    'review/reject'({ id }) {
      requireShown(editor, id).review.reject();
    },
  };
}

/** `tandem editor --check`: runs the editor contract against the editor that a command starts. Returns whether it passes. */
export async function checkEditor(
  command: string,
  args: readonly string[],
  { logger, print }: { readonly logger: Logger; readonly print: (line: string) => void },
): Promise<boolean> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`${command} cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`${command} ended with ${signal ?? `exit code ${code}`}.`));
  });
  child.stdin.on('error', () => {});
  try {
    const editor = await Promise.race([
      connectForCheck({ input: child.stdout, output: child.stdin }, logger),
      ended.then((message) => Promise.reject(new Error(message))),
    ]);
    const failed = await runChecks(editor, print);
    const left = userActions.filter((action) => !editor.actions.includes(action));
    if (left.length > 0)
      print(`The test driver does not support: ${left.join(', ')}. The checks that need these were skipped.`);
    await editor.shutdown();
    editor.dispose();
    await withTimeout(systemClock, 2_000, ended).catch(() => {
      print('FAIL  ends within 2 seconds after shutdown');
      failed.push('shutdown');
    });
    return failed.length === 0;
  } finally {
    child.kill('SIGKILL');
  }
}

async function runChecks(editor: CheckedEditor, print: (line: string) => void): Promise<string[]> {
  const checks: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  runEditorContract(editor.stage, (name, run) => checks.push({ name, run }), editor.actions);
  const failed: string[] = [];
  for (const { name, run } of checks) {
    const startedAt = performance.now();
    try {
      await run();
      print(`ok    ${name} (${Math.round(performance.now() - startedAt)} ms)`);
    } catch (error) {
      failed.push(name);
      print(`FAIL  ${name}\n      ${messageOf(error)}`);
    }
  }
  print(`${checks.length - failed.length} of ${checks.length} checks passed.`);
  return failed;
}

function checked(editor: RemoteEditor, connection: Connection, announced: readonly string[]): CheckedEditor {
  const actions = userActions.filter((action) => announced.includes(action));
  const reviews = new Map<string, Review>();
  const { info, workspace, context, documents, diagnostics } = editor;
  const observed: Editor = {
    info,
    workspace,
    context,
    documents,
    reviews: {
      show(review) {
        reviews.set(review.id, review);
        return editor.reviews.show(review);
      },
    },
    ...(diagnostics && { diagnostics }),
  };
  const user = userOf(connection, actions, reviews);
  return {
    actions,
    async stage() {
      const workspaceFolder = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-check-')));
      await connection.request('test/workspace', { folder: workspaceFolder });
      return {
        editor: observed,
        workspaceFolder,
        clock: systemClock,
        writeFile(relativePath, text) {
          const path = join(workspaceFolder, relativePath);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, text);
        },
        readFile: (relativePath) => readFileSync(join(workspaceFolder, relativePath), 'utf8'),
        user,
        dispose: () => rmSync(workspaceFolder, { recursive: true, force: true }),
      };
    },
    shutdown: () =>
      connection.request('shutdown', {}).then(
        () => {},
        () => {},
      ),
    dispose() {
      editor.dispose();
      connection.dispose();
    },
  };
}

function userOf(
  connection: Connection,
  actions: readonly UserAction[],
  reviews: ReadonlyMap<string, Review>,
): EditorUser {
  const play = async (action: UserAction, params: object): Promise<void> =>
    void (await connection.request(`test/${action}`, params));
  const all: Required<EditorUser> = {
    focus: (path) => play('focus', { path }),
    select: (path, range) => play('select', { path, range }),
    type: (path, text) => play('type', { path, text }),
    save: (path) => play('save', { path }),
    close: (path) => play('close', { path }),
    setTrusted: (isTrusted) => play('setTrusted', { isTrusted }),
    setDiagnostics: (path, diagnostics) => play('setDiagnostics', { path, diagnostics }),
    async reviewsInView() {
      const ids = z.array(z.string()).parse(await connection.request('test/reviewsInView', {}));
      return ids.flatMap((id) => reviews.get(id) ?? []);
    },
    edit: ({ id }, text) => play('edit', { id, text: toDocumentText(text) }),
    accept: ({ id }) => play('accept', { id }),
    reject: ({ id }) => play('reject', { id }),
  };
  return Object.fromEntries(actions.map((action) => [action, all[action]]));
}

/** The contract changes no file under review. */
function untouched(review: Review, logger: Logger): FileFollower {
  const watch = (): Disposable => toDisposable(() => {});
  return new FileFollower(review, { read: async () => undefined, watch, clock: systemClock, logger });
}
