import type {
  AskContext,
  AskUserQuestionRequest,
  DaemonIdeConnection,
  DaemonIdeConnectionOptions,
  DaemonPermissionRequest,
} from '@tandem/chat';
import { Changes } from '../changes.js';
import { pickText } from '../json.js';

/** An editor's connection that records the calls of its callbacks, and gives the answers that the test sets. */
export class IdeLog {
  readonly #changes = new Changes();
  readonly updates: unknown[] = [];
  readonly permissions: DaemonPermissionRequest[] = [];
  readonly questions: AskUserQuestionRequest[] = [];
  readonly ends: (string | undefined)[] = [];
  readonly disconnects: (string | null)[] = [];
  /** The requests whose signal fired before we answered. */
  readonly dismissed: string[] = [];
  answer: (request: DaemonPermissionRequest) => Promise<{ optionId?: string }> = never;
  answerQuestion: (
    request: AskUserQuestionRequest,
  ) => Promise<{ optionId: string; answers?: Record<string, string> }> = never;

  constructor(readonly connection: DaemonIdeConnection) {}

  async connect(options: DaemonIdeConnectionOptions): Promise<void> {
    this.listen();
    await this.connection.connect(options);
  }

  /** Sets the callbacks, which a `disconnect()` clears. */
  listen(): void {
    const { connection } = this;
    const note = <T>(list: T[], value: T): void => {
      list.push(value);
      this.#changes.notify();
    };
    const watch = (context: AskContext | undefined): DaemonPermissionRequest => {
      if (context === undefined) throw new Error('The adapter passes the context of each request.');
      const { request, signal } = context;
      signal.addEventListener('abort', () => note(this.dismissed, request.requestId));
      return request;
    };
    connection.onSessionUpdate = (data) => note(this.updates, data.update);
    connection.onEndTurn = (reason) => note(this.ends, reason);
    connection.onDisconnected = (_code, signal) => note(this.disconnects, signal);
    connection.onPermissionRequest = (_data, context) => {
      const request = watch(context);
      note(this.permissions, request);
      return this.answer(request);
    };
    connection.onAskUserQuestion = (request, context) => {
      watch(context);
      note(this.questions, request);
      return this.answerQuestion(request);
    };
  }

  until<T>(what: string, probe: () => T | undefined | false): Promise<T> {
    return this.#changes.until(probe, { what, evidence: () => JSON.stringify(this.updates.map(kindOf)) });
  }

  /** The model's text so far. */
  text(): string {
    return this.updates
      .filter((update) => kindOf(update) === 'agent_message_chunk')
      .map((update) => pickText(update, 'content', 'text'))
      .join('');
  }
}

function kindOf(update: unknown): string {
  return pickText(update, 'sessionUpdate');
}

function never(): Promise<never> {
  return new Promise(() => {});
}
