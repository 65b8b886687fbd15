/**
 * `npm run test:vscode`: runs only the tests of the extension, in real editors in a real browser. Arguments are passed
 * to vitest; names of test files select them.
 */
import { installBrowser } from './browserInstall.mjs';
import { runDevTool } from './devTool.mjs';
import { installE2e } from './e2eInstall.mjs';
import { installE2eVscode } from './e2eVscodeInstall.mjs';

const obstacle = installE2e() ?? installBrowser() ?? installE2eVscode({ withOldest: true });
if (obstacle === undefined) {
  const args = ['run', '--config', 'e2e-vscode/vitest.config.ts', ...process.argv.slice(2)];
  const { isOk, problem } = await runDevTool('vitest', args, { limitMinutes: 60 });
  if (!isOk) console.error(problem);
  process.exitCode = isOk ? 0 : 1;
} else {
  console.error(`e2e-vscode was not run: ${obstacle}`);
  process.exitCode = 1;
}
