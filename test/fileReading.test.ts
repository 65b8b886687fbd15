import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const guarded = [
  'packages/changes/src',
  'packages/companion/src',
  'hosts/remote/src',
  'hosts/standalone/src',
  'hosts/vscode/src',
];

/** Functions that open or read a file of any kind and size. */
const readers = [
  'createReadStream',
  'open',
  'openAsBlob',
  'openSync',
  'read',
  'readFile',
  'readFileSync',
  'readSync',
];

/** The permitted uses, with reasons. All other code uses `readBoundedFile` of `@tandem/companion/files`. */
const allowed: Readonly<Record<string, string>> = {
  'hosts/remote/src/check.ts readFileSync': 'a file of a check of an editor, in a folder of its own',
  'hosts/standalone/src/backgroundCompanion.ts openSync': 'writes the log of the companion that it starts',
  'hosts/standalone/src/backgroundCompanion.ts readFileSync': 'that log, in a folder of this user alone',
  'hosts/standalone/src/page/pageAssets.ts readFile': 'the built page, a part of this installation',
  'hosts/standalone/src/readContent.ts createReadStream': 'a pipe that the user named to a command',
  'hosts/standalone/src/recordFile.ts openSync': 'writes, does not wait, and takes regular files only',
  'packages/changes/src/scan/ignoreRules.ts openSync':
    'reads ignore files in a worker: bounded, regular files only, no links',
  'packages/changes/src/scan/ignoreRules.ts readSync': 'the same files',
  'packages/changes/src/scan/readState.ts openSync':
    'reads files in a worker: bounded, regular files only, no links, without waiting for a pipe',
  'packages/changes/src/scan/readState.ts readSync': 'the same files',
  'packages/changes/src/store/ownerLock.ts readFileSync': 'reads when a process started, from /proc',
  'packages/changes/src/store/privateFolder.ts openSync':
    'files in a folder of this user alone: regular files only, no links',
  'packages/changes/src/store/privateFolder.ts readSync': 'the same files, bounded',
  'packages/companion/src/files/boundedFile.ts open': 'is the one that reads for all',
  'packages/companion/src/journal/journalFolder.ts open':
    'writes the journal, in a folder of this user alone',
  'packages/companion/src/journal/journalTexts.ts open':
    'writes the texts of the journal, in the same folder',
  'packages/companion/src/files/userFile/heldFolder.ts open': 'opens folders only',
  'packages/companion/src/files/userFile/overwriteRecord.ts open':
    'writes records in a folder of this user alone; compares a file before it is written, bounded and without blocking',
  'packages/companion/src/files/userFile/writeUserFile.ts open':
    'compares a file before it is written, bounded and without blocking',
};

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources: readonly Source[] = guarded.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') })),
);

/** Files and the readers that they import from Node by name, as in `allowed`. */
function importedReaders({ path, text }: Source): string[] {
  const imports = [...text.matchAll(/^import\s+\{([^}]*)\}\s+from\s+'(?:node:)?fs(?:\/promises)?';$/gm)];
  return imports
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
    .filter((name) => readers.includes(name))
    .map((name) => `${path} ${name}`);
}

/** Other ways to get a reader: importing the whole module, and VS Code's API. */
function hiddenReaders({ path, text }: Source): string[] {
  const ways = [
    /^import\s+(?!type\b)(?:\*\s+as\s+)?\w+[^'"]*from\s+'(?:node:)?fs(?:\/promises)?'/m,
    /\b(?:import|require|getBuiltinModule)\(\s*['"](?:node:)?fs(?:\/promises)?['"]/,
    /\bpromises\b[^;]*from\s+'(?:node:)?fs'/,
    /\bworkspace\.fs\.readFile\b/,
  ];
  return ways.some((way) => way.test(text)) ? [path] : [];
}

describe('companion, standalone and vscode', () => {
  it('read files with the bounded reader only, except for the uses that are listed here with a reason', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(importedReaders).sort()).toEqual(Object.keys(allowed).sort());
  });

  it('get no reader in another way', () => {
    expect(sources.flatMap(hiddenReaders)).toEqual([]);
  });
});

describe('this test', () => {
  it('detects a reader however it is imported', () => {
    const path = 'a.ts';
    for (const text of [
      "import { readFile } from 'node:fs/promises';",
      "import { stat, readFileSync as read } from 'node:fs';",
      "import {\n  constants,\n  openSync,\n} from 'fs';",
    ]) {
      expect(importedReaders({ path, text })).toHaveLength(1);
    }
    for (const text of [
      "import * as fs from 'node:fs';",
      "import fs from 'node:fs/promises';",
      "import fs, { type Stats } from 'node:fs';",
      "import { promises as files } from 'node:fs';",
      "const { readFile } = await import('node:fs/promises');",
      'const bytes = await vscode.workspace.fs.readFile(uri);',
    ]) {
      expect(hiddenReaders({ path, text })).toEqual([path]);
    }
    expect(importedReaders({ path, text: "import { stat } from 'node:fs/promises';" })).toEqual([]);
    expect(hiddenReaders({ path, text: "import { stat, type Stats } from 'node:fs';" })).toEqual([]);
  });
});
