import { execFile, execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Agent, ContextAgent } from './agents/agent.js';
import { typeLine } from './agentTerminal.js';
import { CliTerminal } from './cliTerminal.js';
import { ScriptedModel } from './model/scriptedModel.js';
import type { Turn } from './model/turn.js';
import { tandemCommand } from './pinnedPrograms.js';
import { RunningAgent } from './runningAgent.js';
import type { Sandbox } from './sandbox.js';

const run = promisify(execFile);

const evaluationLimitMs = 15_000;

/** The folder of the package, which tests put on Emacs' load path. */
export const emacsPackage = fileURLToPath(new URL('../../editors/emacs', import.meta.url));

/** Why the tests with Emacs cannot run; undefined if it is installed. */
export function missingEmacs(): string | undefined {
  try {
    execFileSync('emacs', ['--version']);
    return undefined;
  } catch {
    return 'Emacs is not installed (Debian: sudo apt-get install emacs-nox)';
  }
}

/** Runs Emacs without a terminal, to its end, and returns what it printed. Rejects with that if it fails. */
export async function batchEmacs(sandbox: Sandbox, ...args: string[]): Promise<string> {
  const command = ['-Q', '--batch', '-L', emacsPackage, ...args];
  const { stdout, stderr } = await run('emacs', command, { env: sandbox.environment() });
  return stdout + stderr;
}

/** An Emacs in a terminal, with the package and a real `tandem editor`. The creator ends it. */
export class EmacsWindow {
  readonly #models: ScriptedModel[] = [];

  private constructor(
    readonly sandbox: Sandbox,
    readonly folder: string,
    readonly terminal: CliTerminal,
  ) {}

  /** Starts Emacs in a folder, and waits until agents can find it. */
  static async start(sandbox: Sandbox, folder: string, init = ''): Promise<EmacsWindow> {
    const initFile = await sandbox.write('init.el', `${initFor(sandbox)}\n${init}\n(tandem-mode 1)\n`);
    const terminal = CliTerminal.spawn('Emacs', {
      file: 'emacs',
      args: ['-Q', '-nw', '-L', emacsPackage, '-l', initFile],
      cwd: folder,
      env: sandbox.environment(),
    });
    const window = new EmacsWindow(sandbox, folder, terminal);
    try {
      await terminal.waitFor('<agents:');
    } catch (error) {
      await window.dispose();
      throw error;
    }
    return window;
  }

  /** Evaluates an expression in the buffer that has the focus, and returns its value as Emacs prints it. Rejects with Emacs' error. */
  async evaluate(expression: string): Promise<string> {
    const args = [
      '--socket-name',
      socketOf(this.sandbox),
      '--eval',
      `(with-current-buffer (window-buffer) ${expression})`,
    ];
    // An Emacs that asks a question never answers.
    const { stdout } = await run('emacsclient', args, {
      env: this.sandbox.environment(),
      timeout: evaluationLimitMs,
    });
    return stdout.trimEnd();
  }

  /** The value of an expression that is a string of ASCII characters. */
  async text(expression: string): Promise<string> {
    return z.string().parse(JSON.parse(await this.evaluate(expression)));
  }

  /** Presses keys in the notation of Emacs, such as `C-c C-c`. */
  async press(keys: string): Promise<void> {
    await this.terminal.type(
      keys
        .split(' ')
        .map((key) => bytesOf(key))
        .join(''),
    );
  }

  /** Opens the pending review beside its file, by the user's command. */
  async openReview(): Promise<void> {
    await this.evaluate('(tandem-review)');
  }

  /** Waits until the screen shows this. */
  waitFor(what: string | RegExp | ((screen: string) => boolean)): Promise<void> {
    return this.terminal.waitFor(what);
  }

  /** Waits until Emacs shows so many reviews in its mode line. */
  async waitForReviews(count: number): Promise<void> {
    await this.waitFor(`reviews:${count}>`);
  }

  /** Waits until this kind of agent is connected, or is not. */
  async waitForAgent({ kind }: Pick<ContextAgent, 'kind'>, isConnected = true): Promise<void> {
    await this.waitFor((screen) => {
      const [, kinds] = /<agents:(\S*) /.exec(screen) ?? [];
      return kinds?.split(',').includes(kind) === isConnected;
    });
  }

  /** The variables with which agents find this Emacs. */
  async variables(): Promise<Record<string, string>> {
    const lines = await this.text('(string-join tandem--environment "\\n")');
    return Object.fromEntries(lines.split('\n').map((line) => line.split(/=(.*)/s)));
  }

  /** Starts an agent in a terminal of its own that has these variables, and waits until it has found Emacs. */
  async startAgent<Kind extends ContextAgent>(agent: Kind): Promise<RunningAgent<Kind>> {
    const env = await this.variables();
    const running = await RunningAgent.start(agent, this.sandbox, this.folder, { env });
    if (agent.connectCommand !== undefined) await running.terminal.submit(agent.connectCommand);
    await this.waitForAgent(agent);
    return running;
  }

  /**
   * Starts an agent by the user's command, in `term`, waits until it has found Emacs, and types a prompt. The emulation is not
   * complete, so that nothing else is read from the agent's screen.
   */
  async runAgent(agent: Agent, prompt: string, ...turns: Turn[]): Promise<ScriptedModel> {
    const { sandbox, folder, terminal } = this;
    const model = await ScriptedModel.start(agent.dialect);
    this.#models.push(model);
    model.script(...turns);
    const site = { sandbox, cwd: folder, modelUrl: model.url, isIdeModeOn: true };
    await sandbox.once(`prepare ${agent.name}`, () => agent.prepare(site));
    const variables = Object.entries({ ...agent.environment(site), ...agent.withoutRelaunch });
    const command = [...agent.executable, ...agent.connectFlags, ...agent.approvalFlags];
    await this.evaluate(
      `(let ((process-environment (append ${list(variables.map(([name, value]) => `${name}=${value}`))}
                                          process-environment))
             (default-directory ${JSON.stringify(`${folder}/`)}))
         (delete-other-windows)
         (tandem-run-agent ${list(command)}))`,
    );
    await this.waitForAgent(agent);
    // Claude Code 2.1.329 moves the cursor in ways that the term of Emacs 28 does not know: its prompt is not readable.
    const isReadable = agent.kind !== 'claude';
    if (isReadable) await terminal.waitFor(agent.screen.ready);
    await terminal.waitUntilQuiet('keys typed while a CLI is still mounting its prompt are lost');
    if (isReadable) await typeLine(terminal, prompt);
    else await terminal.type(prompt);
    await terminal.waitUntilQuiet('an Enter right behind its text counts as pasted');
    await terminal.press('enter');
    return model;
  }

  /** Kills the terminals in which agents run, and the agents with them. */
  async endTerminals(): Promise<void> {
    await this.evaluate(
      `(let ((kill-buffer-query-functions nil))
         (dolist (each (buffer-list))
           (when (eq (buffer-local-value 'major-mode each) 'term-mode) (kill-buffer each))))`,
    );
  }

  /** Kills Emacs, and waits until Tandem has ended by itself. Idempotent. */
  async dispose(): Promise<void> {
    await this.terminal.kill();
    const deadline = Date.now() + 10_000;
    while (await this.#isTandemRunning()) {
      if (Date.now() > deadline) throw new Error('tandem editor did not end with Emacs.');
      await setTimeout(20);
    }
    for (const model of this.#models.splice(0)) await model.close();
  }

  /** It is not our child, so its end is no event. */
  async #isTandemRunning(): Promise<boolean> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const environments = pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''));
    const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
    const [ours, lines] = [await Promise.all(environments), await Promise.all(commands)];
    const home = `HOME=${this.sandbox.home}\0`;
    return lines.some((line, at) => line.includes(`${tandemCommand}\0editor`) && ours[at]?.includes(home));
  }
}

function initFor(sandbox: Sandbox): string {
  return `
(setq server-name ${JSON.stringify(socketOf(sandbox))}
      tandem-terminal 'term
      tandem-command ${list([process.execPath, tandemCommand, 'editor'])}
      make-backup-files nil create-lockfiles nil auto-save-default nil
      inhibit-startup-screen t ring-bell-function #'ignore
      ;; Emacs would compile its own libraries in other processes, for a minute of processor time.
      native-comp-deferred-compilation nil native-comp-jit-compilation nil)
(require 'server)
(require 'tandem)
(server-start)
(menu-bar-mode -1)
;; What tests wait for.
(defun test-agents ()
  (mapconcat (lambda (agent) (plist-get agent :id)) (plist-get tandem--status :agents) ","))
(setq-default mode-line-format
              '("%b " (:eval (if tandem--status
                                 (format "<agents:%s reviews:%d>" (test-agents)
                                         (length (tandem--pending)))
                               "<no status>"))
                " " (:eval (tandem-mode-line))))`;
}

function socketOf(sandbox: Sandbox): string {
  return join(sandbox.temporary, 'emacs');
}

/** A quoted list of strings in Lisp. */
function list(strings: readonly string[]): string {
  return `'(${strings.map((text) => JSON.stringify(text)).join(' ')})`;
}

function bytesOf(key: string): string {
  if (key === 'RET') return '\r';
  if (key === 'SPC') return ' ';
  const [, modifier, name = ''] = /^([CM])-(.)$/.exec(key) ?? [];
  if (modifier === 'C') return String.fromCharCode(name.charCodeAt(0) & 0x1f);
  return modifier === 'M' ? `\x1b${name}` : key;
}
