import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { DocumentError, type Logger, silentLogger, systemClock } from '@tandem/core';
import type { FileContent } from '@tandem/reviews';
import { type RpcAnswer, RpcError, toFailure } from '@tandem/rpc';
import { FakeEditor, type FakeEditorFiles, userActions } from '@tandem/testing';
import * as z from 'zod';
import { Connection } from '../../src/connection.js';
import type { Framing } from '../../src/frames.js';
import {
  contextSnapshot,
  protocolVersion,
  type ShownReview,
  shownReview,
  tandemCalls,
} from '../../src/protocol.js';

/** Two connected pairs of streams, as an editor and its child have. */
export function pipes(): {
  ours: { input: Readable; output: Writable };
  theirs: { input: Readable; output: Writable };
} {
  const [up, down] = [new PassThrough(), new PassThrough()];
  return { ours: { input: up, output: down }, theirs: { input: down, output: up } };
}

interface View {
  review: ShownReview;
  text: string;
}

/** An editor that speaks the protocol, on real files, with the actions of the user. */
export class ScriptedPeer {
  readonly connection: Connection;
  readonly views = new Map<string, View>();
  /** What arrived, in order. */
  readonly received: { readonly method: string; readonly params: unknown }[] = [];
  /** Answers a method in place of the peer. */
  readonly instead = new Map<string, (params: unknown) => Promise<unknown>>();
  editor = new FakeEditor({ clock: systemClock, files: disk });
  #arrived = (): void => {};

  constructor(
    streams: { readonly input: Readable; readonly output: Writable },
    framing: Framing,
    logger: Logger = silentLogger,
  ) {
    this.connection = new Connection({
      ...streams,
      framing,
      logger,
      serve: (method, params) => this.#serve(method, params),
    });
    this.connection.release();
    this.#follow();
  }

  initialize(folders: readonly string[], more: object = {}): Promise<unknown> {
    const capabilities = { format: true, diagnostics: true, test: userActions };
    const editor = { name: 'scripted', displayName: 'Scripted Editor', version: '1.2.3', pid: process.pid };
    const params = {
      protocolVersion,
      editor,
      workspaceFolders: folders,
      isTrusted: true,
      capabilities,
      ...more,
    };
    return this.connection.request('initialize', params, 20_000);
  }

  /** Sends the user's text of a review, as a plugin does at a pause in typing. */
  type(id: string, text: string): Promise<unknown> {
    const view = this.view(id);
    view.text = text;
    return this.connection.request('review/edit', { id, version: view.review.version, content: text });
  }

  view(id: string): View {
    const view = this.views.get(id);
    if (view === undefined) throw new Error(`Review ${id} is not in view.`);
    return view;
  }

  /** Resolves once `fact` holds after a message. */
  async until(fact: () => boolean): Promise<void> {
    while (!fact()) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  #follow(): void {
    const { editor } = this;
    editor.context.onDidChange(() => this.#sendContext());
    editor.workspace.onDidChange(() => this.#sendWorkspace());
    editor.documents.onDidSave((saved) => this.connection.notify('document/saved', saved));
    editor.diagnostics?.onDidChange((paths) => this.connection.notify('diagnostics/changed', { paths }));
  }

  #sendContext(): void {
    const { openFiles, activePath } = this.editor.context.snapshot();
    const files = openFiles.map((file) => ({ ...file, ...this.editor.documents.state(file.path) }));
    this.connection.notify('context/changed', contextSnapshot.parse({ openFiles: files, activePath }));
  }

  #sendWorkspace(): void {
    const { workspace } = this.editor;
    this.connection.notify('workspace/changed', {
      workspaceFolders: workspace.folders(),
      isTrusted: workspace.isTrusted(),
    });
  }

  async #serve(method: string, params: unknown): Promise<RpcAnswer> {
    this.received.push({ method, params });
    try {
      const instead = this.instead.get(method);
      return { result: (await (instead ? instead(params) : this.#do(method, params))) ?? null };
    } catch (error) {
      // The scripted editor has the codes of `DocumentError`, which are not all codes of our own calls.
      const code = error instanceof DocumentError ? error.code : 'internal';
      const failure = toFailure(
        new RpcError('refused', error instanceof Error ? error.message : String(error)),
      );
      return { error: { ...failure.error, code: code as 'refused' } };
    } finally {
      const arrived = this.#arrived;
      setImmediate(arrived);
    }
  }

  async #do(method: string, params: unknown): Promise<unknown> {
    const { documents, diagnostics, user } = this.editor;
    const reviewParams = z.object({ review: shownReview });
    const one = z.object({ id: z.string(), text: z.string().default('') });
    const path = (): string => z.object({ path: z.string() }).parse(params).path;
    switch (method) {
      case 'document/open': {
        const { range, takeFocus } = tandemCalls['document/open'].params.parse(params);
        return documents.open(path(), { ...(range && { range }), ...(takeFocus && { takeFocus }) });
      }
      case 'document/save':
        return documents.save(path());
      case 'document/close':
        return documents.close(path());
      case 'document/format':
        return documents.format?.(path());
      case 'diagnostics/get':
        return diagnostics?.get(tandemCalls[method].params.parse(params).path);
      case 'review/show':
      case 'review/changed': {
        const { review } = reviewParams.parse(params);
        this.views.set(review.id, { review, text: review.content });
        return null;
      }
      case 'review/close':
        this.views.delete(one.parse(params).id);
        return null;
      case 'test/workspace': {
        const { folder } = z.object({ folder: z.string() }).parse(params);
        this.editor = new FakeEditor({ clock: systemClock, files: disk, folders: [folder] });
        this.views.clear();
        this.#follow();
        this.#sendWorkspace();
        this.#sendContext();
        return null;
      }
      case 'test/focus':
        return user.focus(path());
      case 'test/select':
        return user.select(
          path(),
          z.object({ range: tandemCalls['document/open'].params.shape.range.unwrap() }).parse(params).range,
        );
      case 'test/type':
        return user.type(path(), z.object({ text: z.string() }).parse(params).text);
      case 'test/save':
        return user.save(path());
      case 'test/close':
        return user.close(path());
      case 'test/setTrusted':
        return user.setTrusted(z.object({ isTrusted: z.boolean() }).parse(params).isTrusted);
      case 'test/setDiagnostics': {
        const [file] = tandemCalls['diagnostics/get'].result.parse([params]);
        return user.setDiagnostics(path(), JSON.parse(JSON.stringify(file?.diagnostics ?? [])));
      }
      case 'test/reviewsInView':
        return [...this.views.keys()];
      case 'test/edit': {
        const { id, text } = one.parse(params);
        return this.type(id, text);
      }
      case 'test/accept': {
        const { id } = one.parse(params);
        const { text, review } = this.view(id);
        return this.connection.request('review/accept', { id, version: review.version, content: text });
      }
      case 'test/reject':
        return this.connection.request('review/reject', { id: one.parse(params).id });
      case 'shutdown':
        return null;
      default:
        return null;
    }
  }
}

/** Real files. */
const disk: FakeEditorFiles = {
  lookUp(path): FileContent | { kind: 'folder' } {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: 'missing' };
    return stats.isDirectory() ? { kind: 'folder' } : { kind: 'text', text: readFileSync(path, 'utf8') };
  },
  write: (path, text) => writeFileSync(path, text),
};
