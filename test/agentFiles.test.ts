import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agents } from '@tandem/agents';
import { SharingPolicy, silentLogger } from '@tandem/core';
import { FakeFiles } from '@tandem/testing';
import { describe, expect, it } from 'vitest';
import { agentFiles } from './agentFiles.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const entries = Object.entries(agents);
const descriptors = entries.map(([, { descriptor }]) => descriptor);
const read = (path: string): string =>
  existsSync(`${root}${path}`) ? readFileSync(`${root}${path}`, 'utf8') : '';

describe('the files that name every agent', () => {
  // `npx vitest run --project fast test/agentFiles.test.ts -u` writes them.
  it.each(agentFiles)('%s agrees with the descriptors', async (path, write) => {
    await expect(write(read(path), descriptors)).toMatchFileSnapshot(`${root}${path}`);
  });

  it.each(['docs/connecting.md', 'hosts/vscode/README.md', 'docs/speed.md', 'scripts/testLatest.mjs'])(
    '%s names every agent',
    (page) => {
      const text = read(page);
      expect(descriptors.filter(({ displayName }) => !text.includes(displayName))).toEqual([]);
    },
  );
});

describe.each(entries)('the descriptor of %s', (id, { descriptor, identity }) => {
  it('has the id under which the agent is registered', () => {
    expect([descriptor.id, identity.id]).toEqual([id, id]);
    expect(id).toMatch(/^[a-z][a-z0-9]*$/);
  });

  it('names the versions that the tests of real programs install', () => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(read('e2e/package.json'));
    const installed = Object.values(dependencies).map((version) =>
      version.replace(/^npm:.*@|-linux-x64$/g, ''),
    );
    expect(descriptor.testedVersions.filter((version) => !installed.includes(version))).toEqual([]);
  });

  it('names files with tokens that the default deny list hides', async () => {
    const policy = new SharingPolicy({
      files: new FakeFiles(
        Object.fromEntries(descriptor.secretFiles.map((name) => [`/home/ann/${name}`, ''])),
      ),
      folders: () => ['/home/ann'],
      logger: silentLogger,
    });
    for (const name of descriptor.secretFiles)
      expect((await policy.verdict(identity, `/home/ann/${name}`)).isShared).toBe(false);
  });
});
