import {
  type EditorContext,
  isEmptyRange,
  type Path,
  partsBelow,
  pathParts,
  visibleName,
} from '@tandem/core';
import * as z from 'zod';
import type { SocketProbe } from '../agentDiagnosis.js';

/** The messages on the socket. See PROTOCOL.md. Unknown fields of others are passed on; what we send is exact. */

const base = { requestId: z.string().max(200), sourceClientId: z.string().max(200).optional() };

const request = z.looseObject({
  ...base,
  type: z.literal('request'),
  method: z.string(),
  params: z.unknown().optional(),
  targetClientId: z.string().nullish(),
});

const response = z.looseObject({ ...base, type: z.literal('response'), result: z.unknown().optional() });

const discoveryRequest = z.looseObject({ ...base, type: z.literal('client-discovery-request'), request });

/** `folderDepth` and `usedAt` are ours: how many parts the path of the folder has that contains the `workspaceRoot`, and the last use. */
const discoveryResponse = z.looseObject({
  ...base,
  type: z.literal('client-discovery-response'),
  response: z.looseObject({
    canHandle: z.boolean(),
    folderDepth: z.int().min(1).optional(),
    usedAt: z.number().optional(),
  }),
});

const broadcast = z.looseObject({
  type: z.literal('broadcast'),
  targetClientIds: z.array(z.string()).nullish(),
});

/** A message of a type that concerns others is accepted without a check of its members. */
const foreign = z
  .object({ type: z.string().refine((type) => !/^(request|response|client-discovery-.*)$/.test(type)) })
  .transform(() => ({ type: 'foreign' as const }));

export const wireMessage = z.union([
  z.discriminatedUnion('type', [request, response, discoveryRequest, discoveryResponse, broadcast]),
  foreign,
]);

export type WireMessage = z.infer<typeof wireMessage>;
export type WireRequest = z.infer<typeof request>;
export type WireAnswer = Extract<WireMessage, { type: 'response' | 'client-discovery-response' }>;

const question = z.looseObject({
  method: z.literal('ide-context'),
  params: z.looseObject({ workspaceRoot: z.string().max(4096) }),
});

/** The folder that a question for the context names; undefined for any other request. */
export function workspaceRootOf(message: WireRequest): Path | undefined {
  return question.safeParse(message).data?.params.workspaceRoot;
}

/** The name with which `tandem doctor` asks. It receives no context, so it gains a client nothing. */
export const probeClient = 'tandem-doctor';

/** A question for the context that makes no session. */
export function questionOfDoctor(workspaceRoot: Path): object {
  const params = { workspaceRoot };
  return { type: 'request', sourceClientId: probeClient, version: 0, method: 'ide-context', params };
}

const doctorsAnswer = z.object({ result: z.object({ ideContext: z.object({ pid: z.int().optional() }) }) });

/** Who has answered the question of the doctor. */
export function answererIn(answer: WireAnswer): SocketProbe {
  const context = doctorsAnswer.safeParse(answer).data?.result.ideContext;
  if (context === undefined) return { kind: 'unanswered' };
  return context.pid === undefined ? { kind: 'other' } : { kind: 'tandem', pid: context.pid };
}

export const initialize = {
  type: 'request',
  version: 0,
  method: 'initialize',
  sourceClientId: 'initializing-client',
  params: { clientType: 'tandem' },
};
const initialized = z.object({ result: z.object({ clientId: z.string() }) });

export function clientIdIn(answer: WireAnswer | undefined): string | undefined {
  return initialized.safeParse(answer).data?.result.clientId;
}

/** Asks a client whether it can answer a request. */
export function discoveryOf(request: WireRequest): object {
  return { type: 'client-discovery-request', request };
}

/** How well a companion can answer: the innermost folder first, then the last use. */
export interface Nearness {
  readonly folderDepth: number;
  readonly usedAt: number;
}

/** `nearness` is undefined if the companion cannot answer. */
export function discoveryAnswer(requestId: string, nearness: Nearness | undefined): object {
  const response = { canHandle: nearness !== undefined, ...nearness };
  return { type: 'client-discovery-response', requestId, response };
}

/** How well a client can answer: 0 for one that is not ours, undefined if it cannot. */
export function nearnessIn(answer: WireAnswer | undefined): Nearness | undefined {
  if (answer?.type !== 'client-discovery-response' || !answer.response.canHandle) return undefined;
  const { folderDepth = 0, usedAt = 0 } = answer.response;
  return { folderDepth, usedAt };
}

export function success(to: WireRequest, handledByClientId: string, result: object): object {
  const { requestId, method } = to;
  return { type: 'response', requestId, resultType: 'success', method, handledByClientId, result };
}

export function failure(to: WireRequest, error: string): object {
  return { type: 'response', requestId: to.requestId, resultType: 'error', method: to.method, error };
}

/** As many as the other agents receive; it includes the active file. */
export const maxOpenTabs = 10;

/**
 * Encodes the shared context. Paths are relative to the folder in which the CLI runs, if possible. Positions are 0-based: the
 * CLI adds 1. Codex CLI 0.169 omits the lines of a selection if it has a text, unless there are several: the selection
 * is listed twice, otherwise the model would not receive its lines.
 */
export function encodeContext({ openFiles, activePath }: EditorContext, workspaceRoot: Path): object {
  const describe = (fsPath: Path): object => ({
    // The CLI puts both into the prompt: a line break in a name would begin a line of its own there.
    label: visibleName(pathParts(fsPath).at(-1) ?? fsPath),
    path: visibleName(partsBelow(workspaceRoot, fsPath)?.join('/') || fsPath),
    fsPath,
  });
  const active = openFiles.find(({ path }) => path === activePath);
  const { range, text = '' } = active?.selection ?? {};
  const { start, end } = range ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const selection = { start, end };
  return {
    activeFile:
      active === undefined
        ? null
        : {
            ...describe(active.path),
            selection,
            activeSelectionContent: text,
            selections: isEmptyRange(selection) ? [] : [selection, selection],
          },
    openTabs: openFiles.slice(0, maxOpenTabs).map(({ path }) => describe(path)),
  };
}

export function encodeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.alloc(4 + body.length);
  frame.writeUInt32LE(body.length);
  body.copy(frame, 4);
  return frame;
}

/** The largest frame that is read: far more than a question, or an answer of ours, which has 16 KiB of selected text. */
export const maxFrameBytes = 1024 * 1024;
/** The largest frame of OpenAI's programs. One that is not read is skipped. */
export const maxSkippedBytes = 256 * 1024 * 1024;

/** Splits a stream into messages. A frame is a length of four bytes, little endian, and JSON. */
export class FrameReader {
  #rest = Buffer.alloc(0);
  #skip = 0;

  /** Whether the rest of a frame is missing. */
  get isWithinFrame(): boolean {
    return this.#rest.length > 0 || this.#skip > 0;
  }

  /** The messages that this chunk completes. Throws if it is malformed. */
  *read(chunk: Buffer): Generator<unknown> {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(skipped)]);
    while (this.#rest.length >= 4) {
      const length = this.#rest.readUInt32LE(0);
      if (length === 0 || length > maxSkippedBytes) throw new Error(`A frame has ${length} bytes.`);
      const end = 4 + length;
      const body = this.#rest.subarray(4, end);
      if (length <= maxFrameBytes && body.length < length) return;
      this.#skip = length - body.length;
      this.#rest = this.#rest.subarray(end);
      if (length <= maxFrameBytes) yield JSON.parse(body.toString('utf8'));
    }
  }
}
