import * as z from 'zod';
import { DaemonError } from './daemonError.js';
import type { ContentBlock, DaemonEvent, SessionClient } from './sessionClient.js';

/** How a turn ended: `end_turn`, `cancelled`, `max_tokens` … */
export interface TurnEnd {
  readonly stopReason: string;
}

const wireEnd = z.object({
  promptId: z.string().optional(),
  stopReason: z.string().optional(),
  message: z.string().optional(),
});

interface WaitingTurn {
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Matches the ends of turns with the prompts that started them, by the prompt's id. An end can overtake the answer that
 * tells the id; such ends are kept while an answer is under way.
 */
export class PromptTurns {
  readonly #waiting = new Map<string, WaitingTurn>();
  readonly #early = new Map<string, TurnEnd | DaemonError>();
  #submitting = 0;
  /** Why no end will come any more, once that is so. */
  #closedBy: unknown;

  /** Resolves once the daemon has accepted the prompt, with its id and a promise of its end. */
  async submit(
    session: SessionClient,
    prompt: readonly ContentBlock[],
  ): Promise<{ readonly promptId: string; readonly end: Promise<TurnEnd> }> {
    this.#submitting += 1;
    try {
      const { promptId } = await session.submitPrompt({ prompt: prompt.map((block) => ({ ...block })) });
      const end = this.#endOf(promptId);
      // Whoever only waits for the acceptance does not have to look at how the turn ends.
      end.catch(() => {});
      return { promptId, end };
    } finally {
      this.#submitting -= 1;
      if (this.#submitting === 0) this.#early.clear();
    }
  }

  /** Takes every event of the session. */
  hear(event: DaemonEvent): void {
    const { promptId, end } = turnEndOf(event) ?? {};
    if (promptId === undefined || end === undefined) return;
    const waiting = this.#waiting.get(promptId);
    if (waiting !== undefined) {
      this.#waiting.delete(promptId);
      settle(waiting, end);
    } else if (this.#submitting > 0) this.#early.set(promptId, end);
  }

  /** The turns that run now are lost: those who wait for their ends hear why. */
  fail(error: unknown): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const turn of waiting) turn.reject(error);
  }

  /** No end will come any more, also not for a prompt that the daemon accepts only now. */
  close(error: unknown): void {
    this.#closedBy ??= error;
    this.fail(error);
  }

  #endOf(promptId: string): Promise<TurnEnd> {
    const early = this.#early.get(promptId);
    if (early === undefined && this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    return new Promise((resolve, reject) => {
      const turn = { resolve, reject };
      if (early === undefined) this.#waiting.set(promptId, turn);
      else settle(turn, early);
    });
  }
}

/** Which turn an event ends, and how. */
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

function settle(turn: WaitingTurn, end: TurnEnd | DaemonError): void {
  if (end instanceof DaemonError) turn.reject(end);
  else turn.resolve(end);
}
