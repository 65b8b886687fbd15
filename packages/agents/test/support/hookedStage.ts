import type { HookMode } from '@tandem/reviews';
import { onTestFinished } from 'vitest';
import {
  type AgentProtocol,
  type HookRequest,
  hookPath,
  hookVariables,
  type RunningProtocol,
} from '../../src/index.js';
import { Stage } from './stage.js';

interface HookOptions {
  readonly mode?: HookMode;
  readonly pid?: number;
  readonly isInteractive?: boolean;
  readonly signal?: AbortSignal;
}

/** One agent on a stage, whose hooks a test starts. Ends with the test. */
export class HookedStage {
  /** What plugins have sent, in the order in which it was received. */
  readonly received: unknown[] = [];
  /** Plugins receive no answer before this. */
  mayAnswer: Promise<void> = Promise.resolve();

  private constructor(
    private readonly stage: Stage,
    readonly running: RunningProtocol,
  ) {}

  static async open(agent: AgentProtocol, files: Readonly<Record<string, string>>): Promise<HookedStage> {
    const stage = await Stage.create({ files });
    onTestFinished(() => stage.close());
    return new HookedStage(stage, await stage.start(agent));
  }

  get editor(): Stage['editor'] {
    return this.stage.editor;
  }

  get files(): Stage['files'] {
    return this.stage.files;
  }

  /** What was recorded as written without a review. */
  get written(): Stage['written'] {
    return this.stage.written;
  }

  get reviews(): Stage['reviews'] {
    return this.stage.reviews;
  }

  /** Serves the hooks over HTTP. Returns the variables with which a plugin of the agent calls. */
  serve(mode: HookMode): Readonly<Record<string, string>> {
    const { listener } = this.stage;
    const token = 'the-token-of-hooks';
    listener.addCallEndpoint({
      path: hookPath,
      token,
      answer: async (request, call) => {
        this.received.push((request as HookRequest).input);
        await this.mayAnswer;
        return (await this.running.hooks?.answer(request as HookRequest, call)) ?? {};
      },
    });
    return {
      [hookVariables.agent]: this.running.identity.id,
      [hookVariables.port]: String(listener.port),
      [hookVariables.token]: token,
      [hookVariables.mode]: mode,
    };
  }

  /** Starts a hook with this input, of this process and without a terminal by default. Resolves to what it prints. */
  async hook(input: unknown, how: HookOptions = {}): Promise<object | undefined> {
    const { mode = 'before', pid = process.pid, isInteractive = false, signal } = how;
    const call = {
      signal: signal ?? new AbortController().signal,
      whenSent: (listener: () => void) => listener(),
    };
    return (await this.running.hooks?.answer({ pid, mode, isInteractive, input }, call))?.output;
  }
}
