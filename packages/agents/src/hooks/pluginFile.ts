import { pathToFileURL } from 'node:url';
import type { Path } from '@tandem/core';

/** The first line of a plugin that is added for good. */
export function pluginNote(agent: string): string {
  return `// Shows edits in Tandem before they are written. Tandem's command "hook remove ${agent}" removes this file.`;
}

/** An expression that loads our plugin; undefined once that is removed. */
export function importOf(program: Path): string {
  return `import(${JSON.stringify(pathToFileURL(program).href)}).catch(() => undefined)`;
}
