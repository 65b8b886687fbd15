import type { Disposable } from '@tandem/core';
import * as vscode from 'vscode';

interface StoredText {
  bytes: Uint8Array;
  readonly ctime: number;
  mtime: number;
  readonly isReadonly: boolean;
}

/**
 * The documents of the reviews, in memory. A file system is necessary, because a diff with a content provider can
 * neither be edited nor have its hunks reverted. Saving such a document decides nothing, because auto-save does it,
 * too.
 */
export class ReviewFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #texts = new Map<string, StoredText>();
  readonly #didChange = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#didChange.event;

  /**
   * Adds or changes a text. `isLoaded`: a document already shows this text. It is then not reloaded, and its time stays
   * the same: VS Code refuses to save a document whose file is newer than the loaded version.
   */
  put(
    uri: vscode.Uri,
    text: string,
    how: { readonly isReadonly?: boolean; readonly isLoaded?: boolean },
  ): void {
    const bytes = Buffer.from(text);
    const known = this.#texts.get(uri.toString());
    if (known === undefined) {
      const now = Date.now();
      const isReadonly = how.isReadonly === true;
      this.#texts.set(uri.toString(), { bytes, ctime: now, mtime: how.isLoaded ? 0 : now, isReadonly });
      return;
    }
    known.bytes = bytes;
    if (how.isLoaded) return;
    known.mtime = Math.max(Date.now(), known.mtime + 1);
    this.#didChange.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  remove(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, ctime, mtime, isReadonly } = this.#find(uri);
    return {
      type: vscode.FileType.File,
      ctime,
      mtime,
      size: bytes.length,
      ...(isReadonly && { permissions: vscode.FilePermission.Readonly }),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const stored = this.#find(uri);
    if (stored.isReadonly) throw vscode.FileSystemError.NoPermissions(uri);
    stored.bytes = content;
    stored.mtime = Math.max(Date.now(), stored.mtime + 1);
  }

  /** Only `put` changes these texts from outside, and fires the event. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#didChange.dispose();
    this.#texts.clear();
  }

  #find(uri: vscode.Uri): StoredText {
    const stored = this.#texts.get(uri.toString());
    if (stored === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return stored;
  }
}
