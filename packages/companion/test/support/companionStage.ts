import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Machine } from '@tandem/agents';
import type { Logger, Path } from '@tandem/core';
import type { FileContent } from '@tandem/reviews';
import { FakeEditor, type FakeEditorFiles } from '@tandem/testing';
import { afterEach } from 'vitest';
import { ClaudeClient } from '../../../agents/test/support/claudeClient.js';
import { CompanionClient, geminiManner, qwenManner } from '../../../agents/test/support/companionClient.js';
import { CopilotClient } from '../../../agents/test/support/copilotClient.js';
import { createSignals } from '../../../agents/test/support/signals.js';
import type { CompanionEvent } from '../../src/control/companionEvent.js';
import { type FoundCompanion, findCompanions } from '../../src/control/index.js';
import { type AgentId, type Companion, type CompanionOptions, createCompanion } from '../../src/index.js';

/** A machine with its own home, temporary folder and state folder, below a folder of the test. */
export function makeMachine(): Machine {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')));
  const machine = {
    platform: process.platform,
    home: join(root, 'home'),
    tmpdir: join(root, 'tmp'),
    env: {},
  };
  for (const folder of [machine.home, machine.tmpdir]) mkdirSync(folder);
  return machine;
}

/** A workspace folder on the real disk. */
export function makeWorkspace(files: Readonly<Record<string, string>> = {}): Path {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Every file below a folder. */
export function filesBelow(folder: Path): Path[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Opens and saves files of the real disk in a fake editor. */
const realDisk: FakeEditorFiles = {
  lookUp(path): FileContent | { readonly kind: 'folder' } {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { kind: 'missing' };
    return found.isDirectory() ? { kind: 'folder' } : { kind: 'text', text: readFileSync(path, 'utf8') };
  },
  write: (path, text) => writeFileSync(path, text),
};

export interface StageOptions extends Partial<Omit<CompanionOptions, 'editor'>> {
  readonly folders?: readonly Path[];
  readonly machine?: Machine;
}

/** A running companion with a fake editor, real sockets and real files. The creator stops it. */
export class CompanionStage {
  readonly companion: Companion;
  readonly editor: FakeEditor;
  readonly machine: Machine;
  readonly events: CompanionEvent[];
  /** Every log entry, at any level, as JSON. */
  readonly log: string[];
  readonly #signals: ReturnType<typeof createSignals>;

  private constructor(
    stage: Omit<CompanionStage, 'connect' | 'found' | 'event' | 'discoveryFiles' | 'files'>,
    signals: ReturnType<typeof createSignals>,
  ) {
    this.companion = stage.companion;
    this.editor = stage.editor;
    this.machine = stage.machine;
    this.events = stage.events;
    this.log = stage.log;
    this.#signals = signals;
  }

  static async create(options: StageOptions = {}): Promise<CompanionStage> {
    const { folders = [makeWorkspace()], machine = makeMachine(), ...rest } = options;
    const editor = new FakeEditor({ folders, files: realDisk });
    const events: CompanionEvent[] = [];
    const log: string[] = [];
    const signals = createSignals();
    const companion = await createCompanion({
      version: '9.8.7',
      logger: loggerInto(log),
      ...rest,
      editor,
      machine,
      onEvent(event) {
        events.push(event);
        rest.onEvent?.(event);
        signals.changed();
      },
    });
    // As every host does: a client with a short limit must not wait for modules to load.
    await companion.warmUp();
    return new CompanionStage({ companion, editor, machine, events, log }, signals);
  }

  /** Resolves to the first event, past or future, for which `matches` holds. */
  async event<E extends CompanionEvent['event']>(
    event: E,
    matches: (event: Extract<CompanionEvent, { event: E }>) => boolean = () => true,
  ): Promise<Extract<CompanionEvent, { event: E }>> {
    const find = () =>
      this.events.find(
        (each): each is Extract<CompanionEvent, { event: E }> =>
          each.event === event && matches(each as Extract<CompanionEvent, { event: E }>),
      );
    await this.#signals.until(() => find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error(`There was no ${event}.`);
    return found;
  }

  /** Connects like that agent's CLI, to the companion that its own discovery finds. */
  async connect(agent: 'claude'): Promise<ClaudeClient>;
  async connect(agent: 'copilot'): Promise<CopilotClient>;
  async connect(agent: 'gemini' | 'qwen'): Promise<CompanionClient>;
  async connect(agent: AgentId): Promise<ClaudeClient | CompanionClient | CopilotClient> {
    const connection = this.companion.agents.connections().find(({ id }) => id === agent);
    if (connection === undefined) throw new Error(`The companion does not serve ${agent}.`);
    if (agent === 'claude') return ClaudeClient.connect(connection);
    if (agent === 'copilot') return CopilotClient.connect(connection);
    return CompanionClient.connect(connection, agent === 'gemini' ? geminiManner : qwenManner);
  }

  /** This companion as a command finds it. */
  async found(): Promise<FoundCompanion> {
    const folders = this.editor.workspace.folders();
    const all = await findCompanions(this.machine);
    const found = all.find(({ workspaceFolders }) => workspaceFolders.join() === folders.join());
    if (found === undefined) throw new Error('The companion is not to be found.');
    return found;
  }

  /** The contents of the files by which agents and the command find companions. */
  discoveryFiles(): Path[] {
    // Not the note beside the socket of Codex CLI, which belongs to that socket.
    return this.files().filter((path) => !path.endsWith('.sock.owner'));
  }

  /** All files below the home folder and the folder for temporary files. */
  files(): Path[] {
    return [...filesBelow(this.machine.home), ...filesBelow(this.machine.tmpdir)];
  }
}

function loggerInto(log: string[]): Logger {
  const write = (message: string, fields?: unknown): void =>
    void log.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: write, info: write, warn: write, error: write };
}

/**
 * Creates stages for the tests of a file; their companions stop after each test. Call it at the top level of the file.
 */
export function useStages(): (
  options?: Parameters<typeof CompanionStage.create>[0],
) => Promise<CompanionStage> {
  const stages: CompanionStage[] = [];
  afterEach(async () => {
    await Promise.all(stages.splice(0).map(({ companion }) => companion.stop()));
  });
  return async (options) => {
    const stage = await CompanionStage.create(options);
    stages.push(stage);
    return stage;
  };
}
