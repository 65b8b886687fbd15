import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hookVariables } from '@tandem/agents';
import { type Disposable, describeError, type Logger, type Path, Turns } from '@tandem/core';
import type { HookMode } from '@tandem/reviews';
import { isAgentId } from '../agents/agents.js';
import type { Companion } from '../companion.js';
import { stateFolder, thisMachine } from '../control/thisMachine.js';
import type { HookProgram } from './placeHooks.js';

/** Names the folder that is to be first on the PATH, for start-up files of a shell that change the PATH. */
const pathVariable = 'TANDEM_PATH';

/** What the hooks in terminals need. */
interface Services {
  readonly companion: Companion;
  readonly program: Omit<HookProgram, 'machine'>;
  readonly mode: HookMode;
  readonly logger: Logger;
}

/**
 * Gives hooks to agents that a user starts in the terminals of an editor: by a folder of launchers that is first on the PATH of
 * these terminals. The folder is named by the port, which a restarted companion keeps.
 */
export class TerminalHooks implements Disposable {
  readonly #services: Services;
  readonly #machine = thisMachine();
  readonly #folder: Path;
  readonly #turns = new Turns();
  #mode: HookMode;
  #isPlaced = false;
  #isDisposed = false;

  constructor(services: Services) {
    const { companion, mode } = services;
    this.#services = services;
    this.#mode = mode;
    this.#folder = join(stateFolder(this.#machine), 'hooks', 'terminals', String(companion.port));
  }

  /** The folder to put first on the PATH. Undefined if agents get no hooks. */
  get folder(): Path | undefined {
    return this.#mode === 'off' || this.#variables() === undefined ? undefined : this.#folder;
  }

  /** More variables for the terminals, besides `ServedAgents.environment`. They hold a token. */
  environment(): Record<string, string> {
    const { folder } = this;
    return folder === undefined ? {} : { ...this.#variables(), [pathVariable]: folder };
  }

  /** Places the launchers, for terminals that the user opens. Never rejects. */
  place(): Promise<void> {
    this.#isPlaced = true;
    return this.#turns.run(() => this.#place());
  }

  /** Changes which edits of agents that start from now on wait. Never rejects. */
  async setMode(mode: HookMode): Promise<void> {
    if (mode === this.#mode) return;
    this.#mode = mode;
    if (this.#isPlaced) await this.place();
  }

  /** Removes the launchers. The folder may stay in the PATH of terminals: agents then start without hooks. */
  dispose(): void {
    this.#isDisposed = true;
    if (this.#isPlaced) this.#remove();
  }

  #remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** How hooks reach the companion. */
  #variables(): Record<string, string> | undefined {
    // The entries are commands for a POSIX shell.
    if (this.#machine.platform === 'win32') return undefined;
    const variables = this.#services.companion.agents.connections().find(({ hooks }) => hooks)?.hooks;
    const { port, token } = hookVariables;
    return variables && { [port]: variables[port] ?? '', [token]: variables[token] ?? '' };
  }

  async #place(): Promise<void> {
    const { companion, program, logger } = this.#services;
    if (this.folder === undefined) return this.#remove();
    const { placeLaunchers } = await import('./placeLaunchers.js');
    const agents = companion.agents
      .connections()
      .flatMap(({ id, hooks }) => (hooks && isAgentId(id) ? id : []));
    const isWanted = (): boolean => !this.#isDisposed;
    const place = { folder: this.#folder, agents, mode: this.#mode, port: companion.port, isWanted };
    await placeLaunchers(place, { ...program, machine: this.#machine }, logger).catch((error: unknown) =>
      logger.warn('agents in terminals get no hooks', { error: describeError(error) }),
    );
  }
}
