// An editor in a terminal: `node plugin.mjs FOLDER`. It shows what agents propose, and takes `open FILE`, `accept`, `reject`.
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** The open files, the latest focus first; the one with the focus; the pending reviews by id. */
export const state = { files: [], active: undefined, reviews: new Map() };
const answers = [];
let output;

/** What Tandem calls: see docs/editor-protocol.md. */
export const methods = {
  'document/open'({ path, range, takeFocus }) {
    const found = statSync(path, { throwIfNoEntry: false });
    const code = found ? 'not-a-file' : 'not-found';
    if (!found?.isFile()) throw Object.assign(new Error(`${path} is not a file.`), { code });
    const known = state.files.find((file) => file.path === path);
    const file = { path, ...known, ...(range && { selection: select(readFileSync(path, 'utf8'), range) }) };
    const others = state.files.filter((each) => each !== known);
    state.files = takeFocus ? [{ ...file, lastFocusedAt: Date.now() }, ...others] : [...others, file];
    if (takeFocus) state.active = path;
    sendContext();
  },
  'document/save': ({ path }) => state.files.some((file) => file.path === path),
  'document/close'({ path }) {
    const isOpen = methods['document/save']({ path });
    state.files = state.files.filter((file) => file.path !== path);
    if (state.active === path) state.active = state.files[0]?.path;
    if (isOpen) sendContext();
    return isOpen;
  },
  'review/show'({ review }) {
    const lines = review.proposed.split('\n');
    const added = review.hunks.flatMap(({ proposed: { start, count } }) => lines.slice(start, start + count));
    print(`\n${review.agentName}: ${review.path}\n${added.map((line) => `+ ${line}`).join('\n')}`);
    state.reviews.set(review.id, review);
  },
  'review/changed': ({ review }) => void state.reviews.set(review.id, review),
  'review/close'({ id, outcome }) {
    print(`${state.reviews.get(id)?.path}: ${outcome}`);
    state.reviews.delete(id);
  },
};

/** Starts the conversation with `tandem editor`: one JSON object per line. Resolves to what Tandem answers. */
export function connect(streams, folder, capabilities = {}) {
  output = streams.output;
  createInterface({ input: streams.input }).on('line', (line) => receive(JSON.parse(line)));
  const editor = { name: 'line-editor', displayName: 'Line Editor', version: '1.0.0', pid: process.pid };
  const workspace = { workspaceFolders: [folder], isTrusted: true };
  return call('initialize', { protocolVersion: 1, editor, ...workspace, capabilities });
}

export function call(method, params) {
  return new Promise((resolve, reject) => {
    send({ id: answers.push({ resolve, reject }) - 1, method, params });
  });
}

export const send = (message) => output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const sendContext = () =>
  send({ method: 'context/changed', params: { openFiles: state.files, activePath: state.active } });
const print = (text) => process.stderr.write(`${text}\n`);

async function receive({ id, method, params, result, error }) {
  if (method === undefined && error) return answers[id]?.reject(new Error(error.message));
  if (method === undefined) return answers[id]?.resolve(result);
  const unknown = { error: { code: -32601, message: `There is no method ${method}.` } };
  const answer = methods[method] ? await attempt(() => methods[method](params)) : unknown;
  if (id !== undefined) send({ id, ...answer });
}

async function attempt(action) {
  try {
    return { result: (await action()) ?? null };
  } catch ({ message, code }) {
    return { error: { code: -32000, message, data: { code } } };
  }
}

/** The selected text, with the range clamped to the text. */
function select(text, { start, end }) {
  const lines = text.split('\n');
  const clamp = ({ line, character }) =>
    line < lines.length
      ? { line, character: Math.min(character, lines[line].length) }
      : { line: lines.length - 1, character: lines.at(-1).length };
  const offset = ({ line, character }) => lines.slice(0, line).join('\n').length + (line && 1) + character;
  const range = { start: clamp(start), end: clamp(end) };
  return { range, text: text.slice(offset(range.start), offset(range.end)) };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = realpathSync(process.argv[2] ?? '.');
  const { stdin, stdout } = spawn('tandem', ['editor'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { agents } = await connect({ input: stdout, output: stdin }, folder);
  print(`Start an agent in ${folder}: ${agents.map(({ command }) => command[0]).join(', ')}`);
  for await (const line of createInterface({ input: process.stdin })) {
    const [word, file = ''] = line.split(' ');
    const [review] = state.reviews.values();
    if (word === 'open')
      await attempt(() => methods['document/open']({ path: join(folder, file), takeFocus: true }));
    if (word === 'accept')
      await attempt(() => call('review/accept', { id: review.id, version: review.version }));
    if (word === 'reject') await attempt(() => call('review/reject', { id: review.id }));
  }
  stdin.end();
}
