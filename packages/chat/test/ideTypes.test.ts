import type * as acp from '@agentclientprotocol/sdk';
import { expectTypeOf, it } from 'vitest';
import type {
  AskUserQuestionRequest,
  ContentBlock,
  DaemonIdeConnection,
  DaemonIdeConnectionOptions,
  RequestPermissionRequest,
  SessionNotification,
} from '../src/index.js';
import type { DaemonApi } from '../src/qwenServe/daemonApi.js';

/** The public surface, as the document declares it. The type checker runs this test. */
interface SpecifiedConnection {
  connect(options: DaemonIdeConnectionOptions): Promise<void>;
  disconnect(): Promise<void>;
  sendPrompt(prompt: string | acp.ContentBlock[]): Promise<{ readonly stopReason: string }>;
  cancelSession(): Promise<void>;
  setModel(modelId: string): Promise<unknown>;
  onSessionUpdate: (data: acp.SessionNotification) => void;
  onPermissionRequest: (data: acp.RequestPermissionRequest) => Promise<{ optionId?: string }>;
  onAskUserQuestion: (
    data: AskUserQuestionRequest,
  ) => Promise<{ optionId: string; answers?: Record<string, string> }>;
  onEndTurn: (reason?: string) => void;
  onDisconnected: (code: number | null, signal: string | null) => void;
}

it('has the types of the document, and those of ACP [DMN-41]', () => {
  expectTypeOf<DaemonIdeConnection>().toExtend<SpecifiedConnection>();
  // A host's own callbacks can be assigned.
  type Callbacks =
    | 'onSessionUpdate'
    | 'onPermissionRequest'
    | 'onAskUserQuestion'
    | 'onEndTurn'
    | 'onDisconnected';
  expectTypeOf<Pick<SpecifiedConnection, Callbacks>>().toExtend<Pick<DaemonIdeConnection, Callbacks>>();
  expectTypeOf<SessionNotification>().toEqualTypeOf<acp.SessionNotification>();
  expectTypeOf<RequestPermissionRequest>().toEqualTypeOf<acp.RequestPermissionRequest>();
  expectTypeOf<ContentBlock>().toEqualTypeOf<acp.ContentBlock>();
  expectTypeOf<{ type: 'audio'; data: string; mimeType: string }>().toExtend<ContentBlock>();
});

it('takes a factory that returns a session of the SDK [DMN-27]', () => {
  type Factory = NonNullable<DaemonIdeConnectionOptions['sessionFactory']>;
  expectTypeOf<() => ReturnType<DaemonApi['createSession']>>().toExtend<Factory>();
});
