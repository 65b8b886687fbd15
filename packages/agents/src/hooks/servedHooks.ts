import type { Disposable } from '@tandem/core';
import type { Connection, McpToolCall } from '@tandem/mcp';
import type { HookMode, Review } from '@tandem/reviews';

/** One start of a hook, as its program reports it. Comes from outside. */
export interface HookRequest {
  /** The process of the agent. */
  readonly pid: number;
  /** What the user chose where the agent was started. */
  readonly mode: HookMode;
  readonly isInteractive: boolean;
  /** A companion that has ended had received the same call. */
  readonly isRepeated?: boolean | undefined;
  /** What the CLI wrote to the hook. */
  readonly input: unknown;
}

/** What the hook prints; nothing if undefined. */
export interface HookAnswer {
  readonly output?: object | undefined;
}

/** The call of a hook: `signal` aborts when the hook ends. */
export type HookCall = McpToolCall;

/** What the model receives if the agent's question is answered with a rejection; undefined if the question stays. */
export type OnQuestion = (pid: number, input: unknown, signal: AbortSignal) => Promise<string | undefined>;

/** The connection of a session to its process, for an agent whose sessions do not report their process. */
export type StreamOf = (session: string) => Connection | undefined;

interface HookedSession {
  readonly id: string;
  readonly pid?: number;
}

/** Which edits of a session wait, as the user has chosen. */
export interface ChosenMode {
  readonly session: string;
  /** The process of the agent. */
  readonly pid?: number | undefined;
  readonly mode: HookMode;
}

/** The hooks of one agent that wait for the user. The protocol disposes it. */
export interface ServedHooks extends Disposable {
  /**
   * Answers a hook: for an edit that waits, after the decision of the user. It never allows what the user has not decided. Rejects
   * only if the companion ends meanwhile; then the hook asks its successor.
   */
  answer(request: HookRequest, call: HookCall): Promise<HookAnswer>;
  /** Which edits of a session wait; undefined if no hook of it has called. */
  modeOf(session: HookedSession): HookMode | undefined;
  /** Changes that for as long as the session runs. */
  setMode(session: HookedSession, mode: HookMode): void;
  /** What `setMode` has changed. */
  chosenModes(): readonly ChosenMode[];
  /** Takes over the `chosenModes` of a companion that has ended, for processes that still run. */
  restoreModes(chosen: readonly ChosenMode[]): void;
  /** Whether a hook waits for the decision on this review. */
  isWaitingFor(review: Review): boolean;
  /**
   * Leaves a text for the model of a session, which receives it with the user's next prompt. Returns whether it does: only an
   * agent whose hooks have called can.
   */
  leave(session: string, text: string): boolean;
  /**
   * Call it before the rejection. Undefined if no hook waits for this review. Otherwise the agent learns of the rejection by
   * `deny`, or when the result is disposed.
   */
  hold(review: Review): HeldRejection | undefined;
}

/** A rejection of which the agent does not know yet. */
export interface HeldRejection extends Disposable {
  /** Rejects with a text. False if the program has ended. */
  deny(text: string): boolean;
}
