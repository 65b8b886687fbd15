import type { ContentBlock } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { DaemonError } from './daemonError.js';
import { type DaemonEvent, PromptEnded, type SessionClient } from './sessionClient.js';

export interface TurnEnd {
  /** `end_turn`, `cancelled`, `max_tokens` … */
  readonly stopReason: string;
}

const wireEnd = z.object({
  promptId: z.string().optional(),
  stopReason: z.string().optional(),
  message: z.string().optional(),
});

interface PendingTurn {
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Matches the ends of turns with their prompts, by the prompt's id. An end can arrive before the response that contains the
 * id; such ends are kept while a prompt is being submitted.
 */
export class PromptTurns {
  readonly #pending = new Map<string, PendingTurn>();
  readonly #early = new Map<string, TurnEnd | DaemonError>();
  #submitting = 0;
  #closedBy: unknown;

  /**
   * Resolves once the daemon has accepted the prompt, or at the end of its turn if the daemon answers only then. In that
   * case, the prompt has no id.
   */
  async submit(
    session: SessionClient,
    prompt: readonly ContentBlock[],
  ): Promise<{ readonly promptId?: string; readonly end: Promise<TurnEnd> }> {
    this.#submitting += 1;
    try {
      const { promptId } = await session.submitPrompt({ prompt: prompt.map((block) => ({ ...block })) });
      const end = this.#endOf(promptId);
      // A caller that only needs the acceptance may ignore how the turn ends.
      end.catch(() => {});
      return { promptId, end };
    } catch (error) {
      if (error instanceof PromptEnded) return { end: Promise.resolve({ stopReason: error.stopReason }) };
      throw error;
    } finally {
      this.#submitting -= 1;
      if (this.#submitting === 0) this.#early.clear();
    }
  }

  /** Receives every event of the session. */
  handle(event: DaemonEvent): void {
    const { promptId, end } = turnEndOf(event) ?? {};
    if (promptId === undefined || end === undefined) return;
    const pending = this.#pending.get(promptId);
    if (pending !== undefined) {
      this.#pending.delete(promptId);
      settle(pending, end);
    } else if (this.#submitting > 0) this.#early.set(promptId, end);
  }

  /** Rejects all running turns, which are lost. */
  fail(error: unknown): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const turn of pending) turn.reject(error);
  }

  /** As `fail`, also for a prompt that the daemon accepts later. */
  close(error: unknown): void {
    this.#closedBy ??= error;
    this.fail(error);
  }

  #endOf(promptId: string): Promise<TurnEnd> {
    const early = this.#early.get(promptId);
    if (early === undefined && this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    return new Promise((resolve, reject) => {
      const turn = { resolve, reject };
      if (early === undefined) this.#pending.set(promptId, turn);
      else settle(turn, early);
    });
  }
}

/** The turn that an event ends, and how. */
export function turnEndOf(
  event: DaemonEvent,
): { readonly promptId: string; readonly end: TurnEnd | DaemonError } | undefined {
  if (event.type !== 'turn_complete' && event.type !== 'turn_error') return undefined;
  const { stopReason = 'end_turn', message, ...data } = wireEnd.safeParse(event.data).data ?? {};
  const promptId = data.promptId ?? event.promptId;
  if (promptId === undefined) return undefined;
  if (event.type === 'turn_complete') return { promptId, end: { stopReason } };
  const text = `The turn failed: ${message ?? 'the daemon gave no reason'}`;
  return { promptId, end: new DaemonError('request_failed', text) };
}

function settle(turn: PendingTurn, end: TurnEnd | DaemonError): void {
  if (end instanceof DaemonError) turn.reject(end);
  else turn.resolve(end);
}
