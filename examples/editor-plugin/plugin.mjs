// Connects the editor in editor.mjs with Tandem: docs/editor-protocol.md. One JSON object per line.
import { createInterface } from 'node:readline';
import * as editor from './editor.mjs';

/** The pending reviews, by id. */
export const reviews = new Map();
const answers = [];
const unread = { reject: ({ message }) => editor.print(message) }; // An error without an id.
let output;

/** What Tandem calls. */
export const methods = {
  'document/open'({ path, range, takeFocus = false }) {
    editor.open(path, range, takeFocus);
    sendContext();
  },
  'document/save': ({ path }) => editor.isOpen(path),
  'document/close'({ path }) {
    const wasOpen = editor.close(path);
    sendContext();
    return wasOpen;
  },
  'review/show'({ review }) {
    reviews.set(review.id, review);
    editor.print(`${review.agentName} proposes for ${review.path}:\n${review.content}`);
  },
  'review/changed': ({ review }) => void reviews.set(review.id, review),
  'review/close'({ id, outcome }) {
    editor.print(`${reviews.get(id)?.path}: ${outcome}`);
    reviews.delete(id);
  },
};

/** Starts the conversation with `tandem editor`. Resolves to its answer when agents can connect. */
export function connect(tandem, folder, capabilities = {}) {
  output = tandem.stdin;
  createInterface({ input: tandem.stdout }).on('line', (line) => receive(JSON.parse(line)));
  const info = { name: 'line-editor', displayName: 'Line Editor', version: '1.0.0', pid: process.pid };
  const workspace = { workspaceFolders: [folder], isTrusted: true };
  return call('initialize', { protocolVersion: 2, editor: info, ...workspace, capabilities });
}

export const accept = ({ id, version }) => call('review/accept', { id, version });
export const reject = ({ id }) => call('review/reject', { id });
export const sendContext = () => send({ method: 'context/changed', params: editor.context() });
export const send = (message) => output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const call = (method, params) =>
  new Promise((resolve, reject) => send({ id: answers.push({ resolve, reject }) - 1, method, params }));

async function receive({ id, method, params, result, error }) {
  if (!method) return error ? (answers[id] ?? unread).reject(error) : answers[id].resolve(result);
  const answer = {};
  try {
    answer.result = (await methods[method](params)) ?? null;
  } catch ({ message, code = 'failed' }) {
    answer.error = { code: -32000, message, data: { code } };
  }
  if (id !== undefined) send({ id, ...answer });
}
