import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { requirements } from './requirements.js';
import { idsInTitles } from './testTitles.js';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the requirements', () => {
  const files = ['packages', 'hosts', 'test', 'e2e/test', 'e2e-vscode/test'].flatMap(testFilesBelow);
  const carried = new Map(files.map((file) => [file, idsInTitles(readFileSync(`${root}/${file}`, 'utf8'))]));

  it('have ids that are unique and say where they come from', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { id, source, text } of requirements) {
      expect(id).toMatch(/^(GEM|QWN|QWL|CLA|CDX|COP|OPC|DMN|EDT|HOK)-\d+$/);
      expect(source).toMatch(/^[a-z-]+\.md:\d+$|^measured: |^promise of Tandem$/);
      expect(text).toMatch(/\.$/);
    }
  });

  it('are listed where they are not met as written, with the reason, in the document of their agent', () => {
    const documents: Record<string, string> = {
      CLA: 'packages/agents/src/claude/PROTOCOL.md',
      DMN: 'packages/chat/PROTOCOL.md',
    };
    const expected = requirements.flatMap(({ id, text, deviation }) =>
      deviation === undefined ? [] : [`- **${id}**: ${text} *Tandem:* ${deviation}`],
    );
    const written = Object.values(documents).flatMap((file) =>
      readFileSync(`${root}/${file}`, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('- **') && line.includes('*Tandem:*')),
    );
    expect(written).toEqual(expected);
  });

  it('name test files that exist', () => {
    const named = new Set(requirements.flatMap(({ tests }) => tests));
    expect([...named].filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
  });

  it('each have a test in every file that they name', () => {
    const unheld = requirements.flatMap(({ id, tests }) =>
      tests.length === 0
        ? [id]
        : tests.filter((file) => !carried.get(file)?.has(id)).map((file) => `${id}: ${file}`),
    );
    expect(unheld).toEqual([]);
  });

  it('name every file whose tests carry their ids', () => {
    const named = new Set(requirements.flatMap(({ id, tests }) => tests.map((file) => `${id}: ${file}`)));
    const found = [...carried].flatMap(([file, ids]) => [...ids].map((id) => `${id}: ${file}`));
    expect(found.filter((each) => !named.has(each))).toEqual([]);
  });
});

describe('the ids in titles', () => {
  it.each([
    ["it('does a thing [GEM-1 QWN-22]', () => {});", ['GEM-1', 'QWN-22']],
    ['test("a thing [CLA-3]", run);', ['CLA-3']],
    ["it.each([\n  ['a', 1],\n])('does %s [CLA-4]', run);", ['CLA-4']],
    ["it.each(['x', \"y [CLA-8]\"])(\n  'does %s [CLA-5]',\n  run,\n);", ['CLA-5']],
    ["describe('a group [CLA-6]', run);", []],
    ["// it('is left out [CLA-7]', run);", []],
    ["it.skip('is left out [CLA-9]', run);", []],
    ["it.todo('is left out [CLA-9]');", []],
    ["it('has a list [1, 2] and [GEM-x]', run);", []],
  ])('of %j are %j', (source, ids) => {
    expect([...idsInTitles(source)]).toEqual(ids);
  });
});

/** The test files below a folder of the repository, from its root. */
function testFilesBelow(folder: string): string[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist|src)$/.test(entry.name) ? [] : testFilesBelow(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}
