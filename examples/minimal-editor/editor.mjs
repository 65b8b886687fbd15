// An editor in a terminal: `node editor.mjs FOLDER`. It shows what agents propose, and takes `open FILE`, `accept`, `reject`.
import { realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { createCompanion } from '@tandem/companion';
import { DocumentError, Emitter } from '@tandem/core';
/** @implements {import('@tandem/reviews').Editor} */
export class LineEditor {
  info = { name: 'line-editor', displayName: 'Line Editor', version: '1.0.0', pid: process.pid };
  #changed = new Emitter((error) => console.error(error));
  #files = []; // In order of last focus, the latest first.
  #active;
  #pending = [];

  constructor(folder, write = console.log) {
    this.write = write;
    const { event: onDidChange } = this.#changed;
    this.workspace = { folders: () => [folder], isTrusted: () => true, onDidChange };
    const active = () => this.#active && { activePath: this.#active };
    this.context = {
      onDidChange,
      snapshot: () => ({ openFiles: this.#files, isTrusted: true, ...active() }),
    };
    this.documents = {
      open: (path, options) => this.open(path, options),
      state: (path) => (this.#files.some((each) => each.path === path) ? { isDirty: false } : undefined),
      save: async (path) => this.documents.state(path) !== undefined,
      close: (path) => this.close(path),
    };
    this.reviews = { show: (review) => this.#show(review) };
  }

  /** `range` is what the user selects. */
  async open(path, { range, takeFocus } = {}) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) throw new DocumentError('not-found', `${path} does not exist.`);
    if (!found.isFile()) throw new DocumentError('not-a-file', `${path} is not a file.`);
    const selection = range && select(await readFile(path, 'utf8'), range);
    if (this.documents.state(path) !== undefined && !takeFocus && !range) return;
    const others = this.#files.filter((file) => file.path !== path);
    this.#files = [{ path, lastFocusedAt: Date.now(), ...(selection && { selection }) }, ...others];
    if (takeFocus || this.#active === undefined) this.#active = path;
    this.#files.sort((file) => (file.path === this.#active ? -1 : 0));
    this.#changed.fire();
  }

  async close(path) {
    if (this.documents.state(path) === undefined) return false;
    this.#files = this.#files.filter((file) => file.path !== path);
    if (this.#active === path) this.#active = this.#files[0]?.path;
    this.#changed.fire();
    return true;
  }

  /** Prints the lines that a proposal changes. */
  async #show(review) {
    const { proposal, hunks } = review;
    this.write(`\n${proposal.path}: ${hunks.length} changes`);
    const lines = review.proposed.split('\n');
    const added = hunks.flatMap(({ proposed: { start, count } }) => lines.slice(start, start + count));
    this.write(added.map((line) => `+ ${line}`).join('\n'));
    this.#pending.push(review);
    return review.onDidDecide(({ kind }) => {
      this.#pending = this.#pending.filter((each) => each !== review);
      this.write(`${proposal.path}: ${kind}`);
    });
  }

  /** What the user types: `open FILE`, `accept` or `reject`, the latter for the oldest pending review. */
  async run(line) {
    const [command, file = ''] = line.trim().split(' ');
    if (command === 'open') await this.open(resolve(this.workspace.folders()[0], file), { takeFocus: true });
    if (command === 'accept' || command === 'reject') this.#pending[0]?.[command]();
  }
}

/** The selected text, with the range clamped to the text. */
function select(text, { start, end }) {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const offset = ({ line, character }) =>
    line < starts.length
      ? Math.min(starts[line] + character, (starts[line + 1] ?? text.length + 1) - 1)
      : text.length;
  const lineOf = (at) => starts.findLastIndex((each) => each <= at);
  const position = (at) => ({ line: lineOf(at), character: at - starts[lineOf(at)] });
  const [from, to] = [offset(start), offset(end)];
  return { range: { start: position(from), end: position(to) }, text: text.slice(from, to) };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const editor = new LineEditor(realpathSync(process.argv[2] ?? '.'));
  const companion = await createCompanion({ editor, version: '1.0.0' });
  console.log(`Agents find this editor at port ${companion.port}.`);
  for await (const line of createInterface({ input: process.stdin }))
    await editor.run(line).catch((error) => console.log(error.message));
  await companion.stop();
}
