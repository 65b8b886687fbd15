import type { IgnoreChain } from '@tandem/core/ignoring';
import type { FileState } from '../fileState.js';
import type { Stamp } from './stamp.js';

/** What is known of one file. */
export interface FileEntry {
  readonly name: string;
  readonly folder: FolderNode;
  stamp: Stamp;
  /** Its state. Whether its bytes are stored is asked of the store when the state is reported. */
  state: FileState;
  /** It could have changed since without another stamp: the next look reads it again. */
  isYoung: boolean;
  /** The state that the caller was told, while it is not `state`: the next look reports the difference. */
  told: FileState | undefined;
  /** When a hint was last checked here; 0 if never. */
  checkedAt: number;
  /** The last walk that saw it. */
  seenIn: number;
}

/** What is known of one folder. */
export interface FolderNode {
  readonly name: string;
  readonly above: FolderNode | undefined;
  readonly files: Map<string, FileEntry>;
  readonly folders: Map<string, FolderNode>;
  /** Names that the last listing found ignored: nothing is known of them, unless a hint named them. */
  readonly ignored: Set<string>;
  /** Whether all names in it that are not ignored are known: another name is new. */
  isListed: boolean;
  /** When it was last listed and its files were checked. */
  checkedAt: number;
  seenIn: number;
  /** The ignore rules for the names in it. */
  rules: FolderRules | undefined;
  /** The rules of the last listing, which `ignored` follows. */
  listedWith: IgnoreChain | undefined;
}

/** The ignore rules of a folder, and what they were made of. */
export interface FolderRules {
  readonly chain: IgnoreChain;
  /** The chain of the folder above. */
  readonly above: IgnoreChain;
  /** The stamp of its own ignore file; undefined if it has none. */
  readonly stamp: Stamp | undefined;
  /** The ignore file was so new that it is read again. */
  readonly isYoung: boolean;
}

/** A folder of which nothing is known. */
export function newFolder(name: string, above: FolderNode | undefined): FolderNode {
  return {
    name,
    above,
    files: new Map(),
    folders: new Map(),
    ignored: new Set(),
    isListed: false,
    checkedAt: 0,
    seenIn: 0,
    rules: undefined,
    listedWith: undefined,
  };
}

/** The path below the root, with `/`; empty for the root. */
export function pathOfFolder(folder: FolderNode): string {
  if (folder.above === undefined) return '';
  const above = pathOfFolder(folder.above);
  return above === '' ? folder.name : `${above}/${folder.name}`;
}

/** The path of a name in a folder, below the root. */
export function pathIn(folder: FolderNode, name: string): string {
  const above = pathOfFolder(folder);
  return above === '' ? name : `${above}/${name}`;
}

/** All files in a folder and below it. */
export function* filesBelow(folder: FolderNode): Generator<FileEntry> {
  yield* folder.files.values();
  for (const each of folder.folders.values()) yield* filesBelow(each);
}

/** A folder and all folders below it, from the top. */
export function* foldersBelow(folder: FolderNode): Generator<FolderNode> {
  yield folder;
  for (const each of folder.folders.values()) yield* foldersBelow(each);
}

/** The folder at a path below the root; created with those above it if `create` is true. */
export function folderAt(root: FolderNode, path: string, create: true): FolderNode;
export function folderAt(root: FolderNode, path: string, create?: boolean): FolderNode | undefined;
export function folderAt(root: FolderNode, path: string, create = false): FolderNode | undefined {
  let at: FolderNode | undefined = root;
  for (const name of path === '' ? [] : path.split('/')) {
    let next: FolderNode | undefined = at.folders.get(name);
    if (next === undefined && create) {
      next = newFolder(name, at);
      at.folders.set(name, next);
    }
    if (next === undefined) return undefined;
    at = next;
  }
  return at;
}

/** The folder that contains a path, and the last name. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const at = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
}

/** The file at a path below the root. */
export function fileAt(root: FolderNode, path: string): FileEntry | undefined {
  const { folder, name } = splitPath(path);
  return folderAt(root, folder)?.files.get(name);
}
