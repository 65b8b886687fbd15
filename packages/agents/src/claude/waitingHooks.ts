import type { Clock, Disposable } from '@tandem/core';
import { onceDecided, type Review, type Reviews } from '@tandem/reviews';
import * as z from 'zod';
import type { AgentSession } from '../agentProtocol.js';
import type { HeldRejection } from '../hooks/servedHooks.js';
import { nativePath } from './toolContext.js';

/** How long after the hook the diff may open, in milliseconds. Measured: the diff opens some milliseconds before. */
const openLimitMs = 10_000;

const hook_event_name = z.literal('PermissionRequest');
/** What Claude Code writes to a `PermissionRequest` hook, for the tools with a diff. */
const permissionRequest = z.discriminatedUnion('tool_name', [
  z.object({
    hook_event_name,
    tool_name: z.literal('Edit'),
    tool_input: z.object({
      file_path: z.string(),
      old_string: z.string(),
      new_string: z.string(),
      replace_all: z.boolean().default(false),
    }),
  }),
  z.object({
    hook_event_name,
    tool_name: z.literal('Write'),
    tool_input: z.object({ file_path: z.string(), content: z.string() }),
  }),
]);

type PermissionRequest = z.infer<typeof permissionRequest>;

interface Services {
  readonly reviews: Reviews;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  readonly sessions: () => readonly AgentSession[];
}

/** `PermissionRequest` hooks that wait while their diff is under review. The protocol disposes it. */
export class WaitingHooks implements Disposable {
  readonly #services: Services;
  readonly #waiting = new Map<Review, (text: string | undefined) => void>();
  /** The rejected reviews whose `openDiff` is not answered yet, with what to call then. */
  readonly #held = new Map<Review, { readonly released: Promise<void>; readonly release: () => void }>();
  #areUsed = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Whether one has ever waited. */
  get areUsed(): boolean {
    return this.#areUsed;
  }

  /**
   * Waits for the decision on the change about which the process `pid` asks. Resolves to the text with which it is rejected; otherwise,
   * also if in doubt which change is meant, to undefined.
   */
  async wait(pid: number, request: unknown, signal: AbortSignal): Promise<string | undefined> {
    const session = this.#services.sessions().find((each) => each.pid === pid);
    const asked = permissionRequest.safeParse(request);
    if (session === undefined || !asked.success) return undefined;
    this.#areUsed = true;
    const review = await this.#reviewOf(session.id, asked.data, signal);
    if (review === undefined || signal.aborted || this.#waiting.has(review)) return undefined;
    return new Promise((resolve) => {
      const end = (text: string | undefined): void => {
        this.#waiting.delete(review);
        signal.removeEventListener('abort', cancel);
        resolve(text);
      };
      const cancel = (): void => end(undefined);
      this.#waiting.set(review, end);
      signal.addEventListener('abort', cancel, { once: true });
      onceDecided(review, () => void (this.#held.has(review) || end(undefined)));
    });
  }

  /** See `ServedHooks.hold`. */
  hold(review: Review): HeldRejection | undefined {
    if (!this.#waiting.has(review) || review.outcome !== undefined) return undefined;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held.set(review, { released, release });
    return {
      deny: (text) => {
        const end = this.#waiting.get(review);
        end?.(text);
        return end !== undefined;
      },
      dispose: () => {
        this.#held.delete(review);
        this.#waiting.get(review)?.(undefined);
        release();
      },
    };
  }

  /** Resolves when `openDiff` may be answered: a rejection ends the turn and the hook. */
  async whenReleased(review: Review): Promise<void> {
    await this.#held.get(review)?.released;
  }

  dispose(): void {
    for (const end of [...this.#waiting.values()]) end(undefined);
    for (const { release } of this.#held.values()) release();
  }

  /** The pending review of this very change. It may open a moment later. */
  #reviewOf(session: string, asked: PermissionRequest, signal: AbortSignal): Promise<Review | undefined> {
    const { reviews, clock, platform } = this.#services;
    const isMeant = (review: Review): boolean =>
      review.proposal.session === session && isProposalOf(asked, review, platform);
    const open = reviews.open.find(isMeant);
    if (open !== undefined || signal.aborted) return Promise.resolve(open);
    return new Promise((resolve) => {
      const end = (review: Review | undefined): void => {
        for (const each of [opening, limit]) each.dispose();
        signal.removeEventListener('abort', cancel);
        resolve(review);
      };
      const cancel = (): void => end(undefined);
      const opening = reviews.onDidOpen((review) => void (isMeant(review) && end(review)));
      const limit = clock.setTimeout(cancel, openLimitMs);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }
}

/** Whether this call of a tool leads to the text that is under review. */
export function isProposalOf(
  asked: PermissionRequest,
  { proposal, original }: Pick<Review, 'proposal' | 'original'>,
  platform: NodeJS.Platform,
): boolean {
  if (nativePath(asked.tool_input.file_path, platform) !== proposal.path) return false;
  const proposed = withLineFeeds(proposal.content);
  if (asked.tool_name === 'Write') return proposed === withLineFeeds(asked.tool_input.content);
  if (original.kind === 'binary') return false;
  const before = original.kind === 'text' ? withLineFeeds(original.text) : '';
  const { old_string, new_string, replace_all } = asked.tool_input;
  const replaced = (old: string): string =>
    replace_all ? before.replaceAll(old, () => new_string) : before.replace(old, () => new_string);
  // Text that is replaced by nothing takes the end of its line with it.
  return replaced(old_string) === proposed || (new_string === '' && replaced(`${old_string}\n`) === proposed);
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
