import { writeFileSync } from 'node:fs';
import { hookVariables } from '@tandem/agents';
import { callCompanion } from '../../../agents/src/hooks/program/callCompanion.js';
import type { CompanionStage } from './companionStage.js';

/** Claude Code whose hooks report what it does, as its own program would. */
export class HookedAgent {
  readonly #stage: CompanionStage;
  readonly #session: string;
  #calls = 0;

  constructor(stage: CompanionStage, session = 'abc') {
    this.#stage = stage;
    this.#session = session;
  }

  prompt(prompt: string): Promise<unknown> {
    return this.#hook({ hook_event_name: 'UserPromptSubmit', prompt });
  }

  stop(background_tasks: readonly object[] = []): Promise<unknown> {
    return this.#hook({ hook_event_name: 'Stop', background_tasks });
  }

  /** Writes a whole file with a tool, between its hooks. */
  async edit(path: string, content: string): Promise<void> {
    this.#calls += 1;
    const tool_use_id = `call-${this.#session}-${this.#calls}`;
    const of = { tool_name: 'Write', tool_input: { file_path: path, content }, tool_use_id };
    await this.#hook({ hook_event_name: 'PreToolUse', ...of });
    writeFileSync(path, content);
    await this.#hook({ hook_event_name: 'PostToolUse', ...of });
  }

  /** Runs a command between its hooks. */
  async run(command: string, effect: () => unknown): Promise<void> {
    this.#calls += 1;
    const of = {
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: `call-${this.#session}-${this.#calls}`,
    };
    await this.#hook({ hook_event_name: 'PreToolUse', ...of });
    await effect();
    await this.#hook({ hook_event_name: 'PostToolUse', ...of });
  }

  #hook(of: object): Promise<unknown> {
    const { hooks = {} } = this.#stage.companion.agents.connections().find(({ id }) => id === 'claude') ?? {};
    const target = { port: Number(hooks[hookVariables.port]), token: hooks[hookVariables.token] ?? '' };
    const input = { session_id: this.#session, cwd: '/', permission_mode: 'auto', ...of };
    const call = { agent: 'claude', mode: 'after', pid: process.pid, isInteractive: false, input };
    return callCompanion(target, call, { startLimitMs: 0, retryMs: 5, signal: AbortSignal.timeout(10_000) });
  }
}
