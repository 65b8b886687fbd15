import { importTypeScript } from './importTypeScript.mjs';

/** The list of test/requirements.ts. @returns {Promise<readonly { id: string, tests: readonly string[] }[]>} */
export async function loadRequirements() {
  const { requirements } = await importTypeScript('test/requirements.ts');
  return requirements;
}

/** The ids that a test's title carries in brackets, as in `[GEM-12]` or `[GEM-12 QWN-12]`. */
export function idsInTitle(title) {
  const groups = title.matchAll(/\[([A-Z]{3}-\d+(?: [A-Z]{3}-\d+)*)\]/g);
  return [...groups].flatMap(([, ids = '']) => ids.split(' '));
}
