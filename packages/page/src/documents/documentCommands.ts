import { messageOf, visibleName } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import type { NoticeBoard } from '../app/notices.js';
import { documentTab, type TabList } from '../app/tabList.js';
import type { PageServices } from '../client/pageContext.js';
import { documentTextId } from '../client/textSessions.js';
import type { PageAgent, PageDocument, PageMethod, PageParams, PageResult } from '../wire/index.js';
import { OpenEditors, rangeOf, type TextRange } from './openEditors.js';

export type CloseChoice = 'save' | 'discard' | 'cancel';

interface CommandParts {
  readonly services: PageServices;
  readonly tabs: TabList;
  readonly notices: NoticeBoard;
  /** Asks the user what happens to unsaved changes. */
  readonly askBeforeClosing: (document: {
    readonly path: string;
    readonly label: string;
  }) => Promise<CloseChoice>;
}

/** Opens, saves, closes and mentions documents. Failures become notices. */
export class DocumentCommands {
  readonly editors = new OpenEditors();
  readonly #parts: CommandParts;
  /** Requested, but not in the host's list yet. */
  readonly #expected = new Set<string>();
  readonly #saving = new Set<string>();
  /** Not saved because the host could not be reached. */
  readonly #unreachable = new Set<string>();

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  /** Opens a file in a tab and activates it. */
  async open(
    path: string,
    options: { readonly range?: TextRange | undefined; readonly takesFocus?: boolean } = {},
  ): Promise<void> {
    const { tabs } = this.#parts;
    const tab = documentTab(path);
    if (!tabs.has(tab.key)) {
      this.#expected.add(path);
      const isOpen = await this.#request(
        'document.open',
        { path },
        `${visibleName(path)} could not be opened`,
      );
      if (isOpen === undefined) return void this.#expected.delete(path);
      tabs.add(tab);
    }
    if (options.range !== undefined) this.editors.reveal(path, options.range);
    tabs.activate(tab.key, { takesFocus: options.takesFocus ?? true });
  }

  /** Opens a file whose tab exists: it was open in an earlier companion. */
  async reopen(path: string): Promise<void> {
    if (this.document(path) !== undefined) return;
    this.#expected.add(path);
    const what = `${visibleName(path)} could not be reopened`;
    if ((await this.#request('document.open', { path }, what)) !== undefined) return;
    this.#expected.delete(path);
    this.#drop(path);
  }

  /** Saves a document. Resolves to whether it was saved. */
  async save(path: string): Promise<boolean> {
    const { services, notices } = this.#parts;
    const document = this.document(path);
    if (document?.kind !== 'text' || this.#saving.has(path)) return false;
    const label = visibleName(document.label);
    this.#saving.add(path);
    try {
      const session = await services.texts.open(documentTextId(path));
      const version = await session.settle();
      await services.host.request('document.save', { path, version });
      this.#dismissFailures(path);
      notices.announce(`Saved ${label}`);
      return true;
    } catch (error) {
      const code = error instanceof RpcError ? error.code : undefined;
      if (code === 'conflict') {
        const text = `${label} was not saved: the file changed on disk. Choose which text to keep.`;
        notices.show({ key: conflictKey(path), kind: 'error', text });
        return false;
      }
      const why = messageOf(error);
      const text =
        code === 'unreachable'
          ? `${label} is not saved: the companion cannot be reached. Your text is kept here. Save again later.`
          : `${label} was not saved: ${why}`;
      if (code === 'unreachable') this.#unreachable.add(path);
      notices.show({ key: saveKey(path), kind: 'error', text });
      return false;
    } finally {
      this.#saving.delete(path);
    }
  }

  /** Closes it, after asking where changes would be lost. */
  async close(path: string): Promise<void> {
    const { services, tabs, notices } = this.#parts;
    const label = this.document(path)?.label;
    if (label === undefined) return this.#drop(path);
    try {
      // Text that the host does not have yet is unsaved.
      await services.texts.get(documentTextId(path))?.settle();
      await services.host.request('document.close', { path });
    } catch (error) {
      if (!(error instanceof RpcError))
        return notices.failure(`${visibleName(label)} could not be closed`, error);
      if (error.code !== 'unsaved' && services.texts.get(documentTextId(path))?.isSynced !== false) {
        return notices.failure(`${visibleName(label)} could not be closed`, error);
      }
      tabs.activate(documentTab(path).key);
      const choice = await this.#parts.askBeforeClosing({ path, label });
      if (choice === 'cancel') return;
      if (choice === 'save' && !(await this.save(path))) return;
      const discards = choice === 'discard';
      const isClosed = await this.#request(
        'document.close',
        { path, discards },
        `${visibleName(label)} was not closed`,
      );
      if (isClosed === undefined) return;
    }
    this.#drop(path);
  }

  /** Mentions the selected lines to agents, or the whole file if nothing is selected. */
  async mention(path: string): Promise<void> {
    const { services, notices } = this.#parts;
    const label = this.document(path)?.label ?? path;
    const view = this.editors.get(path);
    const range = view !== undefined && !view.state.selection.main.empty ? rangeOf(view.state) : undefined;
    const lines = range && { first: range.start.line, last: lastSelectedLine(range) };
    const result = await this.#request('mention', { path, ...(lines && { lines }) }, 'Nothing was mentioned');
    if (result === undefined) return;
    const taking = services.store.getState().agents.filter(({ takesMentions }) => takesMentions);
    if (result.count === 0) {
      return notices.info(noMentions(taking));
    }
    const notified = taking
      .filter(({ sessions }) => sessions.length > 0)
      .map(({ displayName }) => visibleName(displayName));
    const where =
      lines === undefined
        ? ''
        : lines.first === lines.last
          ? ` line ${lines.first + 1}`
          : ` lines ${lines.first + 1}-${lines.last + 1}`;
    notices.good(`Mentioned to ${notified.join(', ') || 'the agent'}: ${visibleName(label)}${where}`);
  }

  document(path: string): PageDocument | undefined {
    return this.#parts.services.store.getState().documents.find((document) => document.path === path);
  }

  /** Updates the tabs to the host's documents. New tabs are in the host's order. */
  follow(documents: readonly PageDocument[]): void {
    const { tabs, services } = this.#parts;
    const paths = new Set(documents.map(({ path }) => path));
    for (const { path, isDirty, isMissing, hasConflict } of documents) {
      // Saved by now, here or in another page; or decided what it should hold.
      if (!isDirty && !isMissing) this.#dismissFailures(path);
      if (!hasConflict) this.#parts.notices.dismiss(conflictKey(path));
    }
    for (const path of paths) this.#expected.delete(path);
    const isGone = (path: string): boolean => {
      if (paths.has(path) || this.#expected.has(path)) return false;
      // Closed elsewhere, but text typed here has not reached the host: the user decides.
      return services.texts.get(documentTextId(path))?.isSynced !== false;
    };
    for (const tab of tabs.tabs) if (tab.kind === 'document' && isGone(tab.id)) this.#forget(tab.id);
    tabs.remove((tab) => tab.kind === 'document' && isGone(tab.id));
    for (const path of paths) tabs.add(documentTab(path));
  }

  /** Dismisses the notices of documents that were not saved only because the host could not be reached. */
  isReachable(): void {
    for (const path of this.#unreachable) this.#parts.notices.dismiss(saveKey(path));
    this.#unreachable.clear();
  }

  #dismissFailures(path: string): void {
    this.#unreachable.delete(path);
    this.#parts.notices.dismiss(saveKey(path));
    this.#parts.notices.dismiss(conflictKey(path));
  }

  #drop(path: string): void {
    this.#parts.tabs.remove(({ key }) => key === documentTab(path).key);
    this.#forget(path);
  }

  #forget(path: string): void {
    this.#dismissFailures(path);
    this.editors.forget(path);
    this.#parts.services.texts.forget(documentTextId(path));
  }

  /** Resolves to `undefined` after a failure, which is shown. */
  async #request<M extends PageMethod>(
    method: M,
    params: PageParams<M>,
    what: string,
  ): Promise<PageResult<M> | undefined> {
    try {
      return await this.#parts.services.host.request(method, params);
    } catch (error) {
      this.#parts.notices.failure(what, error);
      return undefined;
    }
  }
}

function saveKey(path: string): string {
  return `save ${path}`;
}

/** Key of the notice that a file was not saved because it changed on disk. */
export function conflictKey(path: string): string {
  return `conflict ${path}`;
}

/** Why nothing can be mentioned. `taking`: the agents that accept mentions. */
export function noMentions(taking: readonly PageAgent[]): string {
  const command = taking[0]?.command;
  const advice = command === undefined ? '' : `. To start one: ${command}`;
  return `No connected agent supports mentions${advice}`;
}

/** A selection that ends before the first character of a line does not mean that line. */
function lastSelectedLine({ start, end }: TextRange): number {
  return end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
}
