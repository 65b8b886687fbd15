import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { commandFile } from '../installedCommand.js';
import { describe, describeValue, median, type Samples, takeTurns, timed } from '../measure.js';
import type { Scratch } from '../scratch.js';
import { changeText, makeText } from '../texts.js';
import { WebSocketClient } from '../webSocketClient.js';

/** How long the companion waits for further changes of the context. */
const debounceMs = 50;
const tabName = 'bench';

/** `tandem editor` with a scripted editor: from an action in the one program to what the other receives. */
export async function benchEditor(scratch: Scratch): Promise<void> {
  const editor = await LineEditor.start(scratch);
  let notified = (_text: string): void => {};
  const lock = join(scratch.env.HOME ?? '', '.claude/ide', `${editor.port}.lock`);
  const { authToken } = JSON.parse(readFileSync(lock, 'utf8'));
  const agent = await WebSocketClient.connect(editor.port, authToken, (text) => notified(text));
  await agent.initialize();
  const [original, filePath] = [makeText(36_000), join(scratch.workspace, 'a.ts')];
  writeFileSync(filePath, original);
  let turn = 0;
  const openFiles = Array.from({ length: 101 }, (_, at) => ({
    path: at === 0 ? filePath : join(scratch.workspace, `${at}.ts`),
    isDirty: at % 2 === 0,
    languageId: 'typescript',
  }));
  const select = (): object => {
    turn += 1;
    const end = { line: 300, character: turn % 20 };
    const selection = {
      range: { start: { line: 0, character: 0 }, end },
      text: changeText(original, turn).slice(0, 9_000),
    };
    return {
      openFiles: openFiles.map((file, at) => ({ ...file, ...(at === 0 && { selection }) })),
      activePath: filePath,
    };
  };
  const openDiff = (): string => {
    turn += 1;
    const paths = { old_file_path: filePath, new_file_path: filePath };
    const diff = { ...paths, new_file_contents: changeText(original, turn), tab_name: tabName };
    return agent.prepare('tools/call', { name: 'openDiff', arguments: diff });
  };
  const propose = async (): Promise<{ readonly id: string; readonly answer: Promise<string> }> => {
    const shown = editor.next('review/show');
    const answer = agent.exchange(openDiff());
    return { id: (await shown).review?.id ?? '', answer };
  };
  const samples = await takeTurns(
    {
      'a snapshot of 101 files, until it is taken': async () => {
        const params = select();
        return timed(() => editor.call('context/changed', params));
      },
      'the same, until the agent has the selection': async () => {
        const params = select();
        return timed(async () => {
          const selected = new Promise<void>((resolve) => {
            notified = (text) => text.includes('selection_changed') && resolve();
          });
          await editor.call('context/changed', params);
          await selected;
        });
      },
      'openDiff, until the editor shows the review': async () => {
        const request = openDiff();
        const shown = editor.next('review/show');
        let answer: Promise<string> | undefined;
        const taken = await timed(() => {
          answer = agent.exchange(request);
          return shown;
        });
        await editor.call('review/reject', { id: (await shown).review?.id });
        await answer;
        return taken;
      },
      'an acceptance, until the agent has the answer': async () => {
        const { id, answer } = await propose();
        return timed(() => Promise.all([editor.call('review/accept', { id }), answer]));
      },
      'a withdrawal, until the editor closes the review': async () => {
        const { answer } = await propose();
        const closed = editor.next('review/close');
        return timed(async () => {
          const withdrawn = agent.exchange(
            agent.prepare('tools/call', { name: 'close_tab', arguments: { tab_name: tabName } }),
          );
          await Promise.all([closed, Promise.race([withdrawn, answer])]);
        });
      },
    },
    { rounds: 30, warmUp: 6 },
  );
  console.log('\ntandem editor with a scripted editor and Claude Code');
  for (const each of Object.values(samples)) console.log(describe(each));
  const aims = [10, debounceMs + 60, 100, 50, 50];
  for (const [at, each] of Object.values<Samples>(samples).entries())
    console.log(describeValue(each.name, median(each), 'ms', aims[at]));
  agent.close();
  await editor.stop();
}

interface Params {
  readonly id?: string;
  readonly review?: { readonly id: string };
}

/** The smallest editor: one line per message, every request is answered with `null`. */
class LineEditor {
  port = 0;
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, () => void>();
  readonly #waiting = new Map<string, (params: Params) => void>();
  #lastId = 0;

  private constructor(scratch: Scratch) {
    this.#child = spawn(process.execPath, [commandFile, 'editor'], {
      env: scratch.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  }

  static async start(scratch: Scratch): Promise<LineEditor> {
    const editor = new LineEditor(scratch);
    const { stdout } = editor.#child;
    if (stdout === null) throw new Error('The command has no standard output.');
    createInterface({ input: stdout }).on('line', (line) => editor.#receive(line));
    await editor.call('initialize', {
      protocolVersion: 1,
      editor: { name: 'bench', displayName: 'Bench', version: '1.0.0', pid: process.pid },
      workspaceFolders: [scratch.workspace],
      isTrusted: true,
    });
    return editor;
  }

  call(method: string, params: object): Promise<void> {
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#answers.set(this.#lastId, resolve);
      this.#send({ id: this.#lastId, method, params });
    });
  }

  /** The parameters of the next call of a method. */
  next(method: string): Promise<Params> {
    return new Promise((resolve) => this.#waiting.set(method, resolve));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin?.end();
    await ended;
  }

  #receive(line: string): void {
    const { id, method, params, result } = JSON.parse(line);
    if (method === undefined) {
      this.port ||= Number(result?.environment?.GEMINI_CLI_IDE_SERVER_PORT ?? 0);
      this.#answers.get(id)?.();
      this.#answers.delete(id);
      return;
    }
    if (id !== undefined) this.#send({ id, result: null });
    this.#waiting.get(method)?.(params);
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
