import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';

/** An event on a session's stream. `id` is absent if it concerns the stream itself. */
export interface DaemonEvent {
  readonly id?: number;
  readonly type: string;
  readonly data: unknown;
  readonly promptId?: string;
  readonly originatorClientId?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * One session of a daemon: the part of the SDK's `DaemonSessionClient` that this package uses. The opener detaches it. Only
 * one `events()` at a time.
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

/** A block of a prompt, as in ACP. Image data is base64. */
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
