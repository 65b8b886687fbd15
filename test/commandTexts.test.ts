import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** All that users see. The `tandem` command may be installed under another name, or not at all: an editor needs none. */
const folders = ['packages', 'hosts'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name, 'src')),
);
const catalogues = ['hosts/vscode/package.nls.json', 'hosts/vscode/l10n/bundle.l10n.json'];

const commands =
  'changes|demo|doctor|editor|env|focus|hook|mention|page|restore|review|run|serve|share|status|stop|trace';

/** The texts that may name a command, with the reasons. */
const allowed: Readonly<Record<string, string>> = {
  'packages/agents/src/agentDescriptor.ts': 'the heading of a table in the documentation',
  'packages/agents/src/copilot/descriptor.ts': 'a cell of that table',
  'packages/agents/src/hooks/program/callCompanion.ts': 'a constant of a proof, which no user sees',
  'packages/page/src/wire/connection.ts': 'a constant of a proof, which no user sees',
};

function isComment(line: string): boolean {
  return /^\s*(?:\*|\/\/|\/\*)/.test(line);
}

describe('a text for users', () => {
  it('names no command of ours as if it were installed under one name', () => {
    const literal = new RegExp(`\\btandem (?:${commands})\\b`);
    const found = [...folders.flatMap(sourcesBelow), ...catalogues].filter(
      (path) =>
        allowed[path] === undefined &&
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .some((line) => !isComment(line) && literal.test(line)),
    );
    expect(found).toEqual([]);
  });
});

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}
