import {
  type EditorContext,
  isEmptyRange,
  type Path,
  partsBelow,
  pathParts,
  visibleName,
} from '@tandem/core';
import * as z from 'zod';

/** The messages on the socket. See PROTOCOL.md. Unknown fields of others are passed on; what we send is exact. */

const base = { requestId: z.string().max(200), sourceClientId: z.string().max(200).optional() };

const request = z.looseObject({
  ...base,
  type: z.literal('request'),
  method: z.string(),
  params: z.unknown().optional(),
  targetClientId: z.string().optional(),
});

const response = z.looseObject({ ...base, type: z.literal('response'), result: z.unknown().optional() });

const discoveryRequest = z.looseObject({ ...base, type: z.literal('client-discovery-request'), request });

/** `folderDepth` is ours: how many parts the path of the folder has that contains the `workspaceRoot`. */
const discoveryResponse = z.looseObject({
  ...base,
  type: z.literal('client-discovery-response'),
  response: z.looseObject({ canHandle: z.boolean(), folderDepth: z.int().min(1).optional() }),
});

const broadcast = z.looseObject({ type: z.literal('broadcast') });

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

export const initialize = {
  method: 'initialize',
  sourceClientId: 'initializing-client',
  params: { clientType: 'tandem' },
};
const initialized = z.object({ result: z.object({ clientId: z.string() }) });

export function clientIdIn(answer: WireAnswer | undefined): string | undefined {
  return initialized.safeParse(answer).data?.result.clientId;
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

/** Far more than a question, or an answer of ours, which has 16 KiB of selected text. */
export const maxFrameBytes = 1024 * 1024;
/** The largest frame of OpenAI's programs. */
const maxForeignBytes = 256 * 1024 * 1024;

/** Splits a stream into messages. A frame is a length of four bytes, little endian, and JSON. */
export class FrameReader {
  readonly #skipsLarge: boolean;
  readonly #header = Buffer.alloc(4);
  #body: Buffer | undefined;
  #filled = 0;
  #skip = 0;

  /** `skipsLarge`: a frame that is too large is discarded; otherwise it is an error. */
  constructor(skipsLarge: boolean) {
    this.#skipsLarge = skipsLarge;
  }

  /** Whether the rest of a frame is missing. */
  get isWithinFrame(): boolean {
    return this.#body !== undefined || this.#filled > 0 || this.#skip > 0;
  }

  /** The messages that this chunk completes. Throws if it is malformed. */
  *read(chunk: Buffer): Generator<unknown> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
        continue;
      }
      const target = this.#body ?? this.#header;
      const copied = chunk.copy(target, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled < target.length) return;
      this.#filled = 0;
      if (this.#body === undefined) this.#begin(this.#header.readUInt32LE(0));
      else {
        const text = this.#body.toString('utf8');
        this.#body = undefined;
        yield JSON.parse(text);
      }
    }
  }

  #begin(length: number): void {
    if (length > 0 && length <= maxFrameBytes) this.#body = Buffer.alloc(length);
    else if (this.#skipsLarge && length > 0 && length <= maxForeignBytes) this.#skip = length;
    else throw new Error(`A frame of ${length} bytes is not accepted.`);
  }
}
