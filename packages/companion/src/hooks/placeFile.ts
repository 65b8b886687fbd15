import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Path } from '@tandem/core';
import { readPrivateFile } from '@tandem/mcp';

/** Writes a file of ours, unless it is there. */
export function place(file: Path, content: string, mode = 0o600): void {
  if (readPrivateFile(file) === content) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, content, { mode });
  renameSync(`${file}.${process.pid}`, file);
}
