import { type Disposable, Emitter, type Event, type Logger, logListenerError } from '@tandem/core';
import type * as vscode from 'vscode';

/** Where the followed sessions are stored, so that they survive a reload of the window. */
const key = 'tandem.followedSessions';
/** Older ones have ended. */
const maxStored = 50;

/** The sessions whose new proposals open at once. */
export class FollowedSessions implements Disposable {
  readonly #state: vscode.Memento;
  readonly #didChange: Emitter<void>;
  #sessions: readonly string[];
  readonly onDidChange: Event<void>;

  constructor({ state, logger }: { readonly state: vscode.Memento; readonly logger: Logger }) {
    this.#state = state;
    this.#didChange = new Emitter(logListenerError(logger, 'the followed sessions'));
    this.onDidChange = this.#didChange.event;
    const stored: unknown = state.get(key);
    this.#sessions = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  }

  has(session: string): boolean {
    return this.#sessions.includes(session);
  }

  set(session: string, isFollowed: boolean): void {
    const others = this.#sessions.filter((each) => each !== session);
    this.#sessions = isFollowed ? [...others, session].slice(-maxStored) : others;
    void this.#state.update(key, this.#sessions);
    this.#didChange.fire();
  }

  dispose(): void {
    this.#didChange.dispose();
  }
}
