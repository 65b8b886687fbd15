import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';

/** What the daemon says on a session's stream. `id` is absent on what concerns the stream itself. */
export interface DaemonEvent {
  readonly id?: number;
  readonly type: string;
  readonly data: unknown;
  readonly promptId?: string;
  readonly originatorClientId?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * One session of a daemon, as this package uses the SDK's `DaemonSessionClient`. Whoever opened it detaches it. Only one
 * `events()` at a time.
 */
export type SessionClient = Pick<
  DaemonSessionClient,
  | 'sessionId'
  | 'workspaceCwd'
  | 'clientId'
  | 'attached'
  | 'hasActivePrompt'
  | 'lastEventId'
  | 'eventEpoch'
  | 'events'
  | 'submitPrompt'
  | 'respondToPermission'
  | 'cancel'
  | 'setModel'
  | 'status'
  | 'detach'
>;

/** A block of a prompt, as ACP has it: text, an image in base64, a link to a file. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly text: string; readonly mimeType?: string };
    };
