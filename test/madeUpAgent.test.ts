import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { agents } from '@tandem/agents';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CompanionClient, geminiManner } from '../packages/agents/test/support/companionClient.js';
import { acme } from './acme/acme.js';
import { agentFiles } from './agentFiles.js';

const root = fileURLToPath(new URL('../', import.meta.url));

/** The one line of registration, in `packages/agents/src/agents.ts`. */
const registration = `export { acme } from '${root}test/acme/acme.js';`;

/** The parts of the product that run with the made-up agent registered. */
const entry = `
  export { createCompanion } from '@tandem/companion';
  export { agentIds, nameOfAgent } from '@tandem/companion/agents';
  export { diagnose } from '@tandem/companion/doctor';
  export { FakeEditor } from '@tandem/testing';
`;

interface Product {
  readonly createCompanion: typeof import('@tandem/companion').createCompanion;
  readonly agentIds: readonly string[];
  readonly nameOfAgent: (agent: string) => string;
  readonly diagnose: typeof import('@tandem/companion/doctor').diagnose;
  readonly FakeEditor: typeof import('@tandem/testing').FakeEditor;
}

describe('an agent that is added by one folder and one line of registration', () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'made-up-')));
  let product: Product;

  beforeAll(async () => {
    const outfile = join(scratch, 'product.mjs');
    await build({
      stdin: { contents: entry, resolveDir: `${root}hosts/standalone`, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@tandem/source'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      plugins: [
        {
          name: 'register',
          setup({ onLoad }) {
            onLoad({ filter: /packages\/agents\/src\/agents\.ts$/ }, ({ path }) => ({
              contents: `${readFileSync(path, 'utf8')}${registration}\n`,
              loader: 'ts',
            }));
          },
        },
      ],
    });
    product = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
  });

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('is in the list of agents, in alphabetical order', () => {
    expect(product.agentIds).toEqual(['acme', ...Object.keys(agents)]);
    expect(product.nameOfAgent('acme')).toBe('Acme Coder');
  });

  it('finds a companion, proposes a change and receives the decision; the doctor knows it', async () => {
    const [workspace, home, temporary] = ['work', 'home', 'tmp'].map((name) => join(scratch, name));
    for (const folder of [workspace, home, temporary]) mkdirSync(folder ?? '');
    const machine = { platform: process.platform, home: home ?? '', tmpdir: temporary ?? '', env: {} };
    const folder = workspace ?? '';
    const path = join(folder, 'a.txt');
    writeFileSync(path, 'one\n');
    const editor = new product.FakeEditor({ folders: [folder] });
    const companion = await product.createCompanion({ version: '9.8.7', editor, machine });
    const [file = ''] = readdirSync(join(machine.home, '.acme/ide'));
    const found = JSON.parse(readFileSync(join(machine.home, '.acme/ide', file), 'utf8'));
    expect(found.workspacePath).toBe(folder);
    const endpoint = { url: `http://127.0.0.1:${found.port}/mcp`, token: found.authToken };
    const client = await CompanionClient.connect(endpoint, geminiManner);
    await client.openDiff(path, 'two\n');
    (await editor.whenShown()).accept();
    expect((await client.next('ide/diffAccepted')).params).toEqual({ filePath: path, content: 'two\n' });
    const report = await product.diagnose({ folder, machine });
    expect(report.agents.find(({ id }) => id === 'acme')).toMatchObject({
      displayName: 'Acme Coder',
      connection: { kind: 'connects', answer: 'tandem' },
    });
    await client.end();
    await companion.stop();
  });

  it.each(agentFiles)('is added to %s', (path, write) => {
    const descriptors = Object.values(agents).map(({ descriptor }) => descriptor);
    const text = write(readFileSync(`${root}${path}`, 'utf8'), [acme.descriptor, ...descriptors]);
    expect(text).toMatch(/acme/i);
    expect(write(text, descriptors)).toBe(readFileSync(`${root}${path}`, 'utf8'));
  });
});
