import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Sandbox } from '../src/sandbox.js';

// It starts no program, so it is not retried.
describe('a sandbox', { retry: 0 }, () => {
  it('writes below its root, and nowhere else', async () => {
    const sandbox = await Sandbox.create();
    onTestFinished(() => sandbox.dispose());
    const name = basename(sandbox.root);
    expect(await sandbox.write(`${name}/a.txt`, 'a')).toBe(join(sandbox.root, name, 'a.txt'));
    expect(await readFile(join(sandbox.root, name, 'a.txt'), 'utf8')).toBe('a');
    expect(await sandbox.write(join(sandbox.root, 'b.txt'), 'b')).toBe(join(sandbox.root, 'b.txt'));
    // The first path is in the folder that the tests run in.
    expect(existsSync(name)).toBe(false);
    for (const path of [`../${name}.txt`, `${sandbox.root}.txt`, join(process.cwd(), name)]) {
      await expect(sandbox.write(path, 'x')).rejects.toThrow('outside of');
    }
    expect(existsSync(`${sandbox.root}.txt`)).toBe(false);
  });
});
