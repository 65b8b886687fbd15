import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ClaudeClient } from '../../../../packages/agents/test/support/claudeClient.js';
import { initializeResult } from '../../../remote/src/protocol.js';
import { ScriptedPeer } from '../../../remote/test/support/scriptedPeer.js';
import { ScriptedAgent } from './scriptedAgent.js';
import type { Scratch } from './tandemProcess.js';

/** A parent that starts its arguments, as an editor starts `tandem editor`, and passes on what both say. */
const parent = `
const [program, ...args] = process.argv.slice(1);
const child = require('node:child_process').spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stderr.write('child ' + child.pid + '\\n');
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on('exit', (code) => process.exit(code ?? 1));
`;

const quickTime = fileURLToPath(new URL('./quickTime.mjs', import.meta.url));

/** A process with `tandem editor` and the editor on the other side. The creator ends it. */
export class EditorProcess {
  readonly child: ChildProcess;
  readonly peer: ScriptedPeer;
  readonly ended: Promise<number | null>;
  stderr = '';
  /** The variables for its terminals. */
  environment: Readonly<Record<string, string>> = {};

  constructor(
    scratch: Scratch,
    options: {
      readonly framing?: 'headers' | 'lines';
      readonly hasParent?: boolean;
      /** Its time runs faster. */
      readonly isQuick?: boolean;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const [node, ...words] = scratch.commandLine(['editor']);
    const command = [node, ...(options.isQuick ? ['--import', quickTime] : []), ...words];
    const [program = '', ...args] = options.hasParent
      ? [process.execPath, '--eval', parent, ...command]
      : command;
    this.child = spawn(program, args, {
      env: { ...scratch.env, ...options.env },
      cwd: scratch.root,
      stdio: 'pipe',
    });
    const { stdin, stdout, stderr } = this.child;
    if (stdin === null || stdout === null || stderr === null) throw new Error('It has no pipes.');
    stdin.on('error', () => {});
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    this.peer = new ScriptedPeer({ input: stdout, output: stdin }, options.framing ?? 'headers');
  }

  /** Starts an editor with the workspace of the scratch. */
  static async start(
    scratch: Scratch,
    options: ConstructorParameters<typeof EditorProcess>[1] & { readonly initialize?: object } = {},
  ): Promise<EditorProcess> {
    const editor = new EditorProcess(scratch, options);
    const answer = await editor.peer.initialize([scratch.workspace], options.initialize);
    editor.environment = initializeResult.parse(answer).environment;
    return editor;
  }

  /** The process of `tandem editor`. */
  get pid(): number {
    return Number(/^child (\d+)$/m.exec(this.stderr)?.[1] ?? this.child.pid);
  }

  /** An agent that is connected to it. */
  connectAgent(scratch: Scratch): Promise<ClaudeClient> {
    const { authToken } = JSON.parse(readFileSync(this.#discoveryFile(scratch, '.lock'), 'utf8'));
    return ClaudeClient.connect({ url: `ws://127.0.0.1:${this.port}/`, token: authToken });
  }

  /** An agent that proposes again after it has reconnected. */
  connectGemini(scratch: Scratch): Promise<ScriptedAgent> {
    return ScriptedAgent.connect(this.#discoveryFile(scratch, '.json'));
  }

  /** That of its agents. */
  get port(): string {
    return this.environment.GEMINI_CLI_IDE_SERVER_PORT ?? '';
  }

  #discoveryFile(scratch: Scratch, extension: '.lock' | '.json'): string {
    const folder = extension === '.lock' ? '/.claude/ide/' : '/gemini/ide/';
    const files = scratch.discoveryFiles().filter((path) => path.includes(folder));
    return files.find((path) => path.endsWith(`${this.port}${extension}`)) ?? '';
  }

  /** Writes bytes as they are. */
  write(bytes: string | Buffer): void {
    this.child.stdin?.write(bytes);
  }

  async dispose(): Promise<void> {
    this.peer.connection.dispose();
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
