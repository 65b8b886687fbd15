import { finish, type Pause, type Steps } from './steps.js';

/** A state that changes again and again is prepared this often; what needs the result then computes it at once. */
const maxTries = 3;

interface Known<Input, Result> {
  readonly input: Input;
  readonly result: Result;
}

/**
 * The last results of a computation that takes long with large texts. It is done in short steps with `prepare`, and what
 * needs the result afterwards gets it at once: so it can change something without a pause in which that changes otherwise.
 */
export class KnownResults<Input, Result> {
  readonly #compute: (input: Input) => Steps<Result>;
  readonly #isSame: (one: Input, other: Input) => boolean;
  readonly #most: number;
  #known: readonly Known<Input, Result>[] = [];

  /** `most`: how many results are remembered. `compute` does not throw. */
  constructor(
    compute: (input: Input) => Steps<Result>,
    isSame: (one: Input, other: Input) => boolean,
    most = 1,
  ) {
    this.#compute = compute;
    this.#isSame = isSame;
    this.#most = most;
  }

  /** The result, computed at once unless it is known. */
  get(input: Input): Result {
    return finish(this.inSteps(input));
  }

  /** `get`, with other work between its steps. */
  *inSteps(input: Input): Steps<Result> {
    const known = this.#find(input);
    if (known !== undefined) return known.result;
    return this.#remember(input, yield* this.#compute(input));
  }

  /**
   * Computes in short steps what `get` is going to be called with: `newest`, which may change in a pause. Undefined if no
   * pause was due, and the result is known already.
   */
  prepare(newest: () => Input, pause: Pause): Promise<void> | undefined {
    return this.#prepare(newest, pause, maxTries);
  }

  /** The inputs may be large. */
  forget(): void {
    this.#known = [];
  }

  #prepare(newest: () => Input, pause: Pause, triesLeft: number): Promise<void> | undefined {
    if (triesLeft === 0) return undefined;
    const input = newest();
    const steps = this.inSteps(input);
    const paused = goOn(steps, pause);
    return paused && this.#afterPause(paused, { input, steps, newest, pause, triesLeft });
  }

  async #afterPause(
    first: Promise<void>,
    of: {
      readonly input: Input;
      readonly steps: Steps<Result>;
      readonly newest: () => Input;
      readonly pause: Pause;
      readonly triesLeft: number;
    },
  ): Promise<void> {
    const { input, steps, newest, pause, triesLeft } = of;
    for (let paused: Promise<void> | undefined = first; paused !== undefined; paused = goOn(steps, pause)) {
      await paused;
      if (!this.#isSame(newest(), input)) return this.#prepare(newest, pause, triesLeft - 1);
    }
  }

  #find(input: Input): Known<Input, Result> | undefined {
    return this.#known.find((known) => this.#isSame(known.input, input));
  }

  #remember(input: Input, result: Result): Result {
    this.#known = [{ input, result }, ...this.#known].slice(0, this.#most);
    return result;
  }
}

/** Does steps until a pause is due, which it returns, or until the end. */
function goOn(steps: Steps<unknown>, pause: Pause): Promise<void> | undefined {
  while (!steps.next().done) {
    const paused = pause();
    if (paused !== undefined) return paused;
  }
  return undefined;
}
