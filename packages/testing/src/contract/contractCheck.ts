import type { EditorUnderTest, EditorUser } from '../editorUnderTest.js';

/** One test of the editor contract. */
export interface ContractCheck {
  readonly name: string;
  /** The user actions that the host must simulate. Otherwise the test is omitted. */
  readonly needs: readonly (keyof EditorUser)[];
  readonly run: (host: EditorUnderTest) => Promise<void>;
}

/** Makes a check that needs only the editor. */
export function check(name: string, run: (host: EditorUnderTest) => Promise<void>): ContractCheck {
  return { name, needs: [], run };
}

/** Makes a check with user actions; `run` gets the actions listed in `needs`. */
export function checkWithUser<K extends keyof EditorUser>(
  name: string,
  needs: readonly K[],
  run: (host: EditorUnderTest, user: Required<Pick<EditorUser, K>>) => Promise<void>,
): ContractCheck {
  return {
    name,
    needs,
    async run(host) {
      const { user } = host;
      if (!canPlay(user, needs)) throw new Error(`The host cannot simulate: ${needs.join(', ')}`);
      await run(host, user);
    },
  };
}

function canPlay<K extends keyof EditorUser>(
  user: EditorUser,
  needs: readonly K[],
): user is EditorUser & Required<Pick<EditorUser, K>> {
  return needs.every((action) => user[action] !== undefined);
}
