import { realpathSync } from 'node:fs';
import { joinPath, type Path, partsBelow } from '@tandem/core';
import * as vscode from 'vscode';

/** The maximum number of cached paths. */
const rememberedPaths = 10_000;

/** One open folder: VS Code's spelling and the real path. */
interface Root {
  readonly spelled: Path;
  readonly real: Path;
}

/**
 * Translates between VS Code's URIs and real paths. VS Code keeps the spelling with which a folder was opened,
 * including links; agents compare real paths as text.
 */
export class WorkspacePaths {
  #roots: readonly Root[] = [];
  /** Paths by URI, until the folders change. */
  readonly #paths = new Map<string, Path | undefined>();

  constructor() {
    this.refresh();
  }

  /** Real paths of the open folders, each once. Folders that are not on this machine's disk are omitted. */
  get folders(): readonly Path[] {
    return [...new Set(this.#roots.map(({ real }) => real))];
  }

  /** Reads the open folders again. */
  refresh(): void {
    const folders = vscode.workspace.workspaceFolders ?? [];
    this.#paths.clear();
    this.#roots = folders
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri }) => ({ spelled: uri.fsPath, real: realPathOf(uri.fsPath) }));
  }

  /** The path of a file on disk; `undefined` for other URIs. */
  toPath(uri: vscode.Uri): Path | undefined {
    if (uri.scheme !== 'file') return undefined;
    return rebase(
      uri.fsPath,
      this.#roots.map(({ spelled, real }) => [spelled, real]),
    );
  }

  /** The same for a URI as text. Cached, because it is needed for each open file at each cursor movement. */
  pathOf(uri: string): Path | undefined {
    if (this.#paths.has(uri)) return this.#paths.get(uri);
    const path = this.toPath(vscode.Uri.parse(uri, true));
    if (this.#paths.size >= rememberedPaths) this.#paths.clear();
    this.#paths.set(uri, path);
    return path;
  }

  /** The URI under which the explorer would open the file. */
  toUri(path: Path): vscode.Uri {
    return vscode.Uri.file(
      rebase(
        path,
        this.#roots.map(({ spelled, real }) => [real, spelled]),
      ),
    );
  }
}

/** The path with the innermost folder that it lies in replaced. */
function rebase(path: Path, pairs: readonly (readonly [from: Path, to: Path])[]): Path {
  let best: { readonly to: Path; readonly below: readonly string[] } | undefined;
  for (const [from, to] of pairs) {
    const below = partsBelow(from, path);
    if (below !== undefined && below.length < (best?.below.length ?? Number.POSITIVE_INFINITY))
      best = { to, below };
  }
  return best === undefined ? path : joinPath(best.to, ...best.below);
}

function realPathOf(path: Path): Path {
  try {
    return realpathSync.native(path);
  } catch {
    // The folder may be on a drive that is not mounted.
    return path;
  }
}
