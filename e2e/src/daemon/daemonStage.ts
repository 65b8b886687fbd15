import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DaemonChat,
  type DaemonChatOptions,
  DaemonIdeConnection,
  type DaemonIdeConnectionOptions,
  type StartDaemonOptions,
  type StartedDaemon,
  startDaemon,
} from '@tandem/chat';
import { onTestFinished } from 'vitest';
import { openaiDialect } from '../model/openaiDialect.js';
import { ScriptedModel } from '../model/scriptedModel.js';
import { pinned } from '../pinnedPrograms.js';
import { Sandbox } from '../sandbox.js';
import { ChatUser } from './chatUser.js';
import { IdeLog } from './ideLog.js';

/** Without an account: one provider with two models, both scripted; one accepts images. Nothing runs on its own. */
function settings(modelUrl: string): object {
  const model = (id: string, name: string, takesImages: boolean) => ({
    id,
    name,
    baseUrl: `${modelUrl}/v1`,
    envKey: 'SCRIPTED_KEY',
    generationConfig: { modalities: { image: takesImages } },
  });
  return {
    modelProviders: {
      openai: [model('fake-model', 'Fake One', true), model('fake-model-2', 'Fake Two', false)],
    },
    env: { SCRIPTED_KEY: 'sk-scripted' },
    security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
    model: { name: 'fake-model' },
    // By default the daemon approves edits itself and sends no requests.
    tools: {
      approvalMode: 'default',
      todoWrite: { enabled: true },
      shell: { enableInteractiveShell: false },
    },
    ui: { enableFollowupSuggestions: false },
    memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
}

/** The pinned Qwen Code, on the Node.js version that it needs. */
export const qwenCommand = [pinned.node24, pinned.qwen] as const;

/**
 * The same with more options of `serve` and a longer limit: qwen 0.24.4 gives the agent of a session ten seconds to
 * start, too little on a machine that is busy with other tests.
 */
export function qwenCommandWith(options: string): readonly string[] {
  return ['sh', '-c', `exec "$0" "$@" --initialize-timeout-ms 60000 ${options}`, ...qwenCommand];
}

/** A folder with a real `qwen serve` and a scripted model. The creator disposes it. */
export class DaemonStage {
  private constructor(
    readonly sandbox: Sandbox,
    readonly workspace: string,
    readonly model: ScriptedModel,
    public daemon: StartedDaemon,
  ) {}

  /**
   * `command` replaces the pinned command. `mcpServer` is the source of an MCP server, which the daemon knows as
   * `hostile`.
   */
  static async open(
    options: {
      readonly hasAuth?: boolean;
      readonly command?: readonly string[];
      readonly mcpServer?: string;
    } = {},
  ): Promise<DaemonStage> {
    const sandbox = await Sandbox.create();
    const model = await ScriptedModel.start(openaiDialect);
    const workspace = await sandbox.folder('workspace');
    const { mcpServer } = options;
    const content = {
      ...(options.hasAuth === false ? {} : settings(model.url)),
      ...(mcpServer !== undefined && { mcpServers: { hostile: await putServer(sandbox, mcpServer) } }),
    };
    await sandbox.write(`${sandbox.home}/.qwen/settings.json`, JSON.stringify(content));
    const start = startOptions(sandbox, workspace);
    const { command = start.command } = options;
    const daemon = await startDaemon(command === undefined ? start : { ...start, command });
    return new DaemonStage(sandbox, workspace, model, daemon);
  }

  /** Restarts the daemon on the same port with the same token. */
  async restart(): Promise<void> {
    const { port } = new URL(this.daemon.url);
    const { token } = this.daemon;
    this.daemon = await startDaemon({
      ...startOptions(this.sandbox, this.workspace),
      port: Number(port),
      token,
    });
  }

  path(name: string): string {
    return join(this.workspace, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** A user with a chat panel, not connected yet. */
  chat(options: Partial<Omit<DaemonChatOptions, 'logger' | 'clock'>> = {}): ChatUser {
    const { url, token } = this.daemon;
    const chat = new DaemonChat({ baseUrl: url, token, folder: this.workspace, ...options });
    onTestFinished(() => chat.dispose());
    return new ChatUser(chat);
  }

  /** A user in a new chat. */
  async newChat(): Promise<ChatUser> {
    const user = this.chat();
    await user.chat.newSession();
    return user;
  }

  /** An editor's connection, which records what it receives. */
  ide(context: { readonly reconnectForMs?: number } = {}): IdeLog {
    const connection = new DaemonIdeConnection(context);
    onTestFinished(() => connection.disconnect());
    return new IdeLog(connection);
  }

  ideOptions(): DaemonIdeConnectionOptions {
    return { baseUrl: this.daemon.url, token: this.daemon.token, workspaceCwd: this.workspace };
  }

  async dispose(): Promise<void> {
    await this.daemon.stop();
    await this.model.close();
    await this.sandbox.dispose();
  }
}

export function startOptions(sandbox: Sandbox, folder: string): StartDaemonOptions {
  return { command: qwenCommandWith(''), folder, env: sandbox.environment() };
}

/** Writes an MCP server to a file and returns its settings. */
async function putServer(sandbox: Sandbox, source: string): Promise<object> {
  const path = await sandbox.write(`${sandbox.root}/server.mjs`, source);
  return { command: process.execPath, args: [path] };
}
