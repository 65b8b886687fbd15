import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiscoveryKeeper } from '../src/agents/discoveryKeeper.js';
import { makeWorkspace } from './support/companionStage.js';

let [folder, path] = ['', ''];
let keeper: DiscoveryKeeper;
beforeEach(async () => {
  folder = join(makeWorkspace(), 'ide');
  path = join(folder, '5.lock');
  keeper = new DiscoveryKeeper({ port: 5, logger: silentLogger });
  await keeper.write([entry()]);
});
afterEach(() => keeper.remove());

const entry = () => ({
  folder,
  name: '5.lock',
  content: { authToken: 't' },
  namePattern: /^\d+\.lock$/,
  isOwnFolder: true,
});
const read = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
const modeOf = (of: string): number => statSync(of).mode & 0o777;
const problem = (): string | undefined => keeper.report([entry()])[0]?.problem;

describe('a discovery file', () => {
  const losses: Readonly<Record<string, () => void>> = {
    'was moved away': () => renameSync(path, `${path}.moved`),
    'was moved away with its folder': () => renameSync(folder, `${folder}.moved`),
    'is missing because its folder was replaced': () => {
      renameSync(folder, `${folder}.moved`);
      mkdirSync(folder, { mode: 0o755 });
    },
    'is a copy that others can read, in a copy of its folder': () => {
      renameSync(folder, `${folder}.moved`);
      cpSync(`${folder}.moved`, folder, { recursive: true });
      rmSync(path);
      writeFileSync(path, readFileSync(join(`${folder}.moved`, '5.lock')), { mode: 0o644 });
    },
    'was replaced by an earlier version': () =>
      writeFileSync(path, JSON.stringify({ ...Object(read()), authToken: 'older' })),
  };

  test.each(Object.entries(losses))(
    'is written again with private permissions if it %s',
    async (_what, lose) => {
      const written = read();
      expect(await keeper.restore()).toEqual([]);
      lose();
      expect(await keeper.restore()).toEqual([path]);
      expect(read()).toEqual(written);
      expect([modeOf(path), modeOf(folder)]).toEqual([0o600, 0o700]);
      expect(await keeper.restore()).toEqual([]);
    },
  );

  test('is not written through a link that replaces its folder, and the problem is reported until the link is gone', async () => {
    renameSync(folder, `${folder}.moved`);
    const elsewhere = makeWorkspace();
    symlinkSync(elsewhere, folder);
    expect(await keeper.restore()).toEqual([]);
    expect(problem()).toContain(`${folder} is a symbolic link`);
    rmSync(folder);
    await keeper.restore();
    expect([problem(), read()]).toEqual([undefined, expect.objectContaining({ authToken: 't' })]);
  });

  test('does not replace a file of another program, which also stays at the end', async () => {
    writeFileSync(path, '{"port":6}');
    expect(await keeper.restore()).toEqual([]);
    await keeper.remove();
    expect(read()).toEqual({ port: 6 });
  });
});
