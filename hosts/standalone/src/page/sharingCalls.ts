import type { PageApiServices, PageCalls } from './pageApi.js';

/** What agents are told on the person's word. */
export function sharingCalls({
  companion,
  paths,
  values,
}: PageApiServices): Pick<PageCalls, 'mention' | 'share.pause' | 'share.resume'> {
  return {
    mention: async ({ path, lines }) => {
      return { told: await companion.agents.mention(await paths.require(path), lines) };
    },
    'share.pause': () => {
      companion.policy.pause();
      return values.sharing();
    },
    'share.resume': () => {
      companion.policy.resume();
      return values.sharing();
    },
  };
}
