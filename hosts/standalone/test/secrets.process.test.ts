import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClaudeClient } from '../../../packages/agents/test/support/claudeClient.js';
import {
  CompanionClient,
  geminiManner,
  qwenManner,
} from '../../../packages/agents/test/support/companionClient.js';
import { CopilotClient } from '../../../packages/agents/test/support/copilotClient.js';
import { Scratch, type TandemProcess } from './support/tandemProcess.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch.dispose());

/** Loaded first into the companion: throws an uncaught error on SIGUSR2. */
const failOnSignal = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('it broke'); }));",
)}`;

const inFile = 'MARKED-what-the-file-holds';
const inProposal = 'MARKED-what-the-agent-proposes';

/** All output of a companion and its commands, with its source. */
const outputs = new Map<string, string>();

test('no token and no content is in the output, the process list, the recording or files', async () => {
  const path = scratch.write('a.txt', `${inFile}\n`);
  const record = join(scratch.root, 'record.jsonl');
  const companion = await scratch.serve(['--record', record], {
    env: { NODE_OPTIONS: `--import=${failOnSignal}` },
  });
  const ready = await companion.event('ready');
  const pageKey = new URL(ready.page.url).hash.slice('#key='.length);
  const pageToken = rememberedToken();
  const control = registration();
  const secrets = [
    // Codex CLI has no token.
    ...Object.values<{ token?: string }>(ready.agents).flatMap(({ token }) => token ?? []),
    pageKey,
    pageToken,
    String(control.token),
  ];
  expect(new Set(secrets).size).toBe(7);

  await work(ready.agents, path, secrets);
  await ask(companion, ready.page.url);
  outputs.set('the record', readFileSync(record, 'utf8'));

  // The first output is how agents connect, which is a requested secret.
  outputs.set('standard output', companion.lines.slice(1).join('\n'));
  const { stderr } = await companion.signal('SIGUSR2');
  outputs.set('standard error, with the report of a crash', stderr);
  expect(stderr).toContain('it broke');

  const problems = [...outputs].flatMap(([place, text]) => {
    return [...secrets, inFile, inProposal].filter((secret) => text.includes(secret)).map(() => place);
  });
  expect(problems).toEqual([]);
  expect(outputs.get('the record')).toContain('openDiff');
  expect(outputs.get('tandem status')).toContain('Gemini CLI');
  expect(outputs.get('the process list')).toContain('serve');
  // The next companion reads the tokens from the journal.
  expect(filesThatHold(secrets)).toEqual(['state/tandem/journal/…', 'state/tandem/pages']);
  expect(filesThatHold([inFile, inProposal])).toEqual(['state/tandem/journal/…', 'workspace']);
});

/** All agents connect; they propose, also each other's tokens, and are answered. */
async function work(
  agents: Record<string, { url: string; token: string }>,
  path: string,
  secrets: readonly string[],
): Promise<void> {
  const endpoint = (agent: string) => agents[agent] ?? { url: '', token: '' };
  const gemini = await CompanionClient.connect(endpoint('gemini'), geminiManner);
  const qwen = await CompanionClient.connect(endpoint('qwen'), qwenManner);
  const claude = await ClaudeClient.connect(endpoint('claude'));
  await CopilotClient.connect(endpoint('copilot'));
  await scratch.run(['focus', path]);
  await gemini.openDiff(path, `${inProposal} ${secrets.join(' ')}\n`);
  await qwen.openDiff(join(scratch.workspace, 'new.txt'), `${inProposal}\n`);
  // A refused one: errors are reported too.
  await gemini.openDiff('relative.txt', inProposal);
  await gemini.call('nothing', { inProposal });
  // Another file: the proposal for the first one would be merged with the accepted text before it is accepted.
  const other = scratch.write('b.txt', `${inFile}\n`);
  const call = claude.beginOpenDiff(other, `${inProposal}\n`);
  await expect
    .poll(async () => JSON.parse((await scratch.run(['review', 'list', '--json'])).stdout).length, {
      timeout: 20_000,
    })
    .toBe(3);
  for (const id of ['1', '2', '3']) note(`tandem review accept`, await scratch.run(['review', 'accept', id]));
  await claude.answer(call);
  await gemini.next('ide/diffAccepted');
  gemini.hangUp();
  qwen.hangUp();
  claude.socket.close();
}

/** Runs the commands, including failing ones, calls the page without its token, and lists the processes. */
async function ask(companion: TandemProcess, pageUrl: string): Promise<void> {
  const commands = [
    ['status'],
    ['status', '--json'],
    ['review', 'list'],
    ['review', 'list', '--json', '--all'],
    ['review', 'accept', '77'],
    ['focus', 'missing.txt'],
    ['share', 'status'],
    ['trace'],
    ['nothing'],
    ['--help'],
  ];
  const running = commands.map((args) => scratch.start(args, { input: '' }));
  outputs.set('the process list', processList([companion.pid, ...running.map(({ pid }) => pid)]));
  for (const [at, started] of running.entries()) {
    note(`tandem ${commands[at]?.join(' ')}`, await started.ended);
  }
  const { origin } = new URL(pageUrl);
  for (const path of ['/', '/live', '/api/status', `/proof?nonce=${'a'.repeat(22)}`, '/nothing']) {
    const answer = await fetch(`${origin}${path}`);
    outputs.set(`GET ${path}`, `${await answer.text()} ${JSON.stringify([...answer.headers])}`);
  }
}

function note(place: string, { stdout, stderr }: { readonly stdout: string; readonly stderr: string }): void {
  outputs.set(place, `${outputs.get(place) ?? ''}${stdout}${stderr}`);
}

/** The command lines of these processes, which any user of the machine can read. An ended process has none. */
function processList(pids: readonly (number | undefined)[]): string {
  return pids
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .join('\n');
}

function registration(): { readonly token?: unknown } {
  const folder = join(scratch.state, 'tandem/companions');
  const [name = ''] = readdirSync(folder);
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

/** The token of the page's tabs, valid also after a restart. */
function rememberedToken(): string {
  const folder = join(scratch.state, 'tandem/pages');
  const [name = ''] = readdirSync(folder);
  return String(JSON.parse(readFileSync(join(folder, name), 'utf8')).tabToken);
}

/** The folders below the test's folder with files that contain one of these texts. */
function filesThatHold(texts: readonly string[]): string[] {
  const files = readdirSync(scratch.root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const holding = files.filter((entry) => {
    const content = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    return texts.some((text) => content.includes(text));
  });
  return [...new Set(holding.map((entry) => placeOf(entry.parentPath)))].sort();
}

/** A folder below the scratch folder. A journal's name has a workspace hash, the process id and random characters. */
function placeOf(folder: string): string {
  return folder.slice(scratch.root.length + 1).replace(/\/[0-9a-f]{32}\/\d+-\d+-[0-9a-f]{8}$/, '/…');
}
