import { contextChecks } from './contract/contextChecks.js';
import { type ContractCheck, check } from './contract/contractCheck.js';
import { documentChecks } from './contract/documentChecks.js';
import { expectEqual } from './contract/expect.js';
import { optionalChecks } from './contract/optionalChecks.js';
import { reviewChecks } from './contract/reviewChecks.js';
import { reviewDecisionChecks } from './contract/reviewDecisionChecks.js';
import { workspaceChecks } from './contract/workspaceChecks.js';
import { type EditorUnderTest, type PersonAction, personActions } from './editorUnderTest.js';

/**
 * Registers the tests that every host's editor passes, unchanged. Knows no test framework: `register` is vitest's
 * or Mocha's `it`. A failure is a thrown `Error`. One wait lasts at most `contractTimeoutMs`. `makeEditor` is called
 * once for each test, and what it gives is disposed after it.
 *
 * `plays` says what of a person the host can play. Tests that need more are not registered, and one test holds that
 * the host plays just what it says: nothing is skipped in silence.
 */
export function runEditorContract(
  makeEditor: () => Promise<EditorUnderTest>,
  register: (name: string, run: () => Promise<void>) => unknown,
  plays: readonly PersonAction[] = personActions,
): void {
  for (const check of [playsCheck(plays), ...allChecks]) {
    if (!check.needs.every((action) => plays.includes(action))) continue;
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

function playsCheck(plays: readonly PersonAction[]): ContractCheck {
  return check('plays of a person just what it says', async ({ person }) => {
    const actual = personActions.filter((action) => person[action] !== undefined);
    const said = personActions.filter((action) => plays.includes(action));
    expectEqual(actual, said, 'what the host plays of a person');
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
