import { contextChecks } from './contract/contextChecks.js';
import { type ContractCheck, check } from './contract/contractCheck.js';
import { documentChecks } from './contract/documentChecks.js';
import { expectEqual } from './contract/expect.js';
import { optionalChecks } from './contract/optionalChecks.js';
import { reviewChecks } from './contract/reviewChecks.js';
import { reviewDecisionChecks } from './contract/reviewDecisionChecks.js';
import { workspaceChecks } from './contract/workspaceChecks.js';
import { type EditorUnderTest, type UserAction, userActions } from './editorUnderTest.js';

/**
 * Registers the tests that every host's editor must pass unchanged. Independent of a test framework: `register` is
 * vitest's or Mocha's `it`. A failure is a thrown `Error`. Each wait lasts at most `contractTimeoutMs`. `makeEditor` is
 * called once for each test, and its result is disposed after the test.
 *
 * `supported` lists the user actions that the host can simulate. Tests that need others are not registered. One test checks
 * that the host simulates exactly the listed actions, so that no test is skipped silently.
 */
export function runEditorContract(
  makeEditor: () => Promise<EditorUnderTest>,
  register: (name: string, run: () => Promise<void>) => unknown,
  supported: readonly UserAction[] = userActions,
): void {
  for (const check of [actionsCheck(supported), ...allChecks]) {
    if (!check.needs.every((action) => supported.includes(action))) continue;
    register(check.name, async () => {
      const host = await makeEditor();
      try {
        await check.run(host);
      } finally {
        await host.dispose();
      }
    });
  }
}

function actionsCheck(supported: readonly UserAction[]): ContractCheck {
  return check('simulates exactly the user actions that it declares', async ({ user }) => {
    const actual = userActions.filter((action) => user[action] !== undefined);
    const declared = userActions.filter((action) => supported.includes(action));
    expectEqual(actual, declared, 'the actions that the host simulates');
  });
}

const allChecks: readonly ContractCheck[] = [
  ...workspaceChecks,
  ...contextChecks,
  ...documentChecks,
  ...reviewChecks,
  ...reviewDecisionChecks,
  ...optionalChecks,
];
