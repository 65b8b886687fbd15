import { afterAll, beforeEach, onTestFinished } from 'vitest';
import { Stage, type StageOptions } from './stage.js';

/**
 * One companion for the tests of a file or group that only decide reviews. After a test that failed or left a review, the
 * next one gets a new companion and a new folder.
 */
export function useStage(options: StageOptions = {}): {
  readonly current: Stage;
  /** After a test that leaves something else behind. */
  discard(): Promise<void>;
} {
  let stage: Stage | undefined;
  beforeEach(async () => {
    // Registered first, so it runs last: the agents and pages of the test are closed.
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail' || !isUsable(stage)) await discard();
    });
    stage ??= await Stage.create(options);
  });
  afterAll(() => discard());
  async function discard(): Promise<void> {
    const ended = stage;
    stage = undefined;
    await ended?.dispose();
  }
  return {
    get current() {
      if (stage === undefined) throw new Error('The stage is used outside of the tests of its group.');
      return stage;
    },
    discard,
  };
}

/** Whether the user has decided all reviews, so that none is pending or interrupted. */
function isUsable(stage: Stage | undefined): boolean {
  const events = stage?.tandem.events ?? [];
  const opened = events.filter(({ event }) => event === 'review.opened');
  const decided = events.filter(
    ({ event, outcome }) => event === 'review.decided' && (outcome === 'accepted' || outcome === 'rejected'),
  );
  return opened.length === decided.length;
}
