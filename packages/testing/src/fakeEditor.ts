import {
  type Clock,
  type Diagnostic,
  type Diagnostics,
  type Disposable,
  type EditorInfo,
  Emitter,
  type FileDiagnostics,
  type Path,
  toDisposable,
} from '@tandem/core';
import type { Editor, Review } from '@tandem/reviews';
import { FakeClock } from './fakeClock.js';
import { FakeDocuments, type FakeEditorFiles } from './fakeDocuments.js';
import { FakeFiles } from './fakeFiles.js';
import { FakeUser } from './fakeUser.js';

/** Capabilities that a `FakeEditor` can lack. */
export type FakeCapability = 'format' | 'diagnostics';

/** What a `FakeEditor` starts with. */
export interface FakeEditorOptions {
  readonly info?: Partial<EditorInfo>;
  /** Defaults to `/workspace`. */
  readonly folders?: readonly Path[];
  readonly isTrusted?: boolean;
  /** Provides the time of focus changes; defaults to a `FakeClock`. */
  readonly clock?: Clock;
  /** The files that can be opened; defaults to an empty `FakeFiles`. */
  readonly files?: FakeEditorFiles;
  /** Capabilities that this editor does not have. */
  readonly without?: readonly FakeCapability[];
}

/**
 * An editor in memory, with a user that tests control. Every event fires before the action that causes it returns. A
 * listener that throws makes that action throw, so that no test misses the error.
 */
export class FakeEditor implements Editor {
  readonly info: EditorInfo;
  readonly workspace: Editor['workspace'];
  readonly context: Editor['context'];
  readonly documents: FakeDocuments;
  readonly reviews: Editor['reviews'];
  readonly diagnostics?: Diagnostics;
  /** The user of this editor, controlled by tests. */
  readonly user: FakeUser;
  /**
   * Runs before a review comes into view. A test sets it to delay the view (a promise of its own), or to make `show`
   * fail (a rejection).
   */
  beforeShow: (review: Review) => Promise<void> | void = () => {};

  readonly #didChangeWorkspace = new Emitter<void>(rethrow);
  readonly #didChangeContext = new Emitter<void>(rethrow);
  readonly #didChangeDiagnostics = new Emitter<readonly Path[]>(rethrow);
  readonly #didShow = new Emitter<Review>(rethrow);
  readonly #views: { readonly review: Review }[] = [];
  readonly #found = new Map<Path, readonly Diagnostic[]>();
  #folders: readonly Path[];
  #isTrusted: boolean;

  constructor(options: FakeEditorOptions = {}) {
    const canDo = (capability: FakeCapability): boolean => !options.without?.includes(capability);
    this.info = { name: 'fake', displayName: 'Fake Editor', version: '1.0.0', pid: 4242, ...options.info };
    this.#folders = options.folders ?? ['/workspace'];
    this.#isTrusted = options.isTrusted ?? true;
    this.workspace = {
      folders: () => this.#folders,
      isTrusted: () => this.#isTrusted,
      onDidChange: this.#didChangeWorkspace.event,
    };
    this.documents = new FakeDocuments({
      files: options.files ?? new FakeFiles(),
      clock: options.clock ?? new FakeClock(),
      canFormat: canDo('format'),
      onChange: () => this.#didChangeContext.fire(),
    });
    this.context = {
      snapshot: () => this.documents.context(this.#isTrusted),
      onDidChange: this.#didChangeContext.event,
    };
    this.reviews = { show: (review) => this.#show(review) };
    if (canDo('diagnostics')) {
      this.diagnostics = {
        get: async (path) => this.#diagnosticsOf(path),
        onDidChange: this.#didChangeDiagnostics.event,
      };
    }
    this.user = new FakeUser({
      documents: this.documents,
      reviewsInView: () => this.#views.map(({ review }) => review),
      setTrusted: (isTrusted) => {
        this.#isTrusted = isTrusted;
        this.#didChangeWorkspace.fire();
      },
      setFolders: (folders) => {
        this.#folders = folders;
        this.#didChangeWorkspace.fire();
      },
      setDiagnostics: (path, diagnostics) => {
        this.#found.set(path, diagnostics);
        this.#didChangeDiagnostics.fire([path]);
      },
    });
  }

  /** Resolves to the first review in view that `matches`, now or later. */
  whenShown(matches: (review: Review) => boolean = () => true): Promise<Review> {
    const shown = this.user.reviewsInView().find(matches);
    if (shown !== undefined) return Promise.resolve(shown);
    return new Promise((resolve) => {
      const waiting = this.#didShow.event((review) => {
        if (!matches(review)) return;
        waiting.dispose();
        resolve(review);
      });
    });
  }

  async #show(review: Review): Promise<Disposable> {
    await this.beforeShow(review);
    if (review.outcome !== undefined) return toDisposable(() => {});
    const view = { review };
    this.#views.push(view);
    this.#didShow.fire(review);
    return toDisposable(() => this.#views.splice(this.#views.indexOf(view), 1));
  }

  #diagnosticsOf(path: Path | undefined): FileDiagnostics[] {
    const paths = path === undefined ? [...this.#found.keys()] : [path];
    return paths
      .map((each): FileDiagnostics => ({ path: each, diagnostics: this.#found.get(each) ?? [] }))
      .filter(({ diagnostics }) => diagnostics.length > 0);
  }
}

function rethrow(error: unknown): never {
  throw error;
}
