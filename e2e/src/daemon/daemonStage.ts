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

/** Without an account: two models of one provider, both the scripted one, of which one takes pictures; nothing acts on its own. */
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
    // The daemon's own default approves by itself, and then nothing asks.
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

/** The pinned Qwen Code, on the Node that it needs. */
export const qwenCommand = [pinned.node24, pinned.qwen] as const;

/**
 * The same with more options of `serve`, and more patience: qwen 0.24.4 gives the agent of a session ten seconds to
 * start, which are not enough on a machine that is busy with other tests.
 */
export function qwenCommandWith(options: string): readonly string[] {
  return ['sh', '-c', `exec "$0" "$@" --initialize-timeout-ms 60000 ${options}`, ...qwenCommand];
}

/** A folder with a real `qwen serve` that a scripted model answers. Whoever opens it disposes it. */
export class DaemonStage {
  private constructor(
    readonly sandbox: Sandbox,
    readonly workspace: string,
    readonly model: ScriptedModel,
    public daemon: StartedDaemon,
  ) {}

  /**
   * `command` takes the place of the pinned one, to start it in another way. `mcpServer` is the source of an MCP server
   * that the daemon has, by the name of `hostile`.
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

  /** Starts the daemon again where it was, with the same token. */
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

  /** A user in a chat of their own. */
  async newChat(): Promise<ChatUser> {
    const user = this.chat();
    await user.chat.newSession();
    return user;
  }

  /** An editor's connection, with what it heard. */
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

/** Writes down an MCP server and says how it is started. */
async function putServer(sandbox: Sandbox, source: string): Promise<object> {
  const path = await sandbox.write(`${sandbox.root}/server.mjs`, source);
  return { command: process.execPath, args: [path] };
}
