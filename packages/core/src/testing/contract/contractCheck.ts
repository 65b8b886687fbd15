import type { EditorPerson, EditorUnderTest } from '../editorUnderTest.js';

/** One test of the editor contract. */
export interface ContractCheck {
  readonly name: string;
  /** The user actions that the host must simulate. Otherwise the test is omitted. */
  readonly needs: readonly (keyof EditorPerson)[];
  readonly run: (host: EditorUnderTest) => Promise<void>;
}

/** Makes a check that needs only the editor. */
export function check(name: string, run: (host: EditorUnderTest) => Promise<void>): ContractCheck {
  return { name, needs: [], run };
}

/** Makes a check with user actions; `run` gets the actions listed in `needs`. */
export function checkWithPerson<K extends keyof EditorPerson>(
  name: string,
  needs: readonly K[],
  run: (host: EditorUnderTest, person: Required<Pick<EditorPerson, K>>) => Promise<void>,
): ContractCheck {
  return {
    name,
    needs,
    async run(host) {
      const { person } = host;
      if (!canPlay(person, needs)) throw new Error(`The host cannot play: ${needs.join(', ')}`);
      await run(host, person);
    },
  };
}

function canPlay<K extends keyof EditorPerson>(
  person: EditorPerson,
  needs: readonly K[],
): person is EditorPerson & Required<Pick<EditorPerson, K>> {
  return needs.every((action) => person[action] !== undefined);
}
