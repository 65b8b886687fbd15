import { forceParsing, language, syntaxTreeAvailable } from '@codemirror/language';
import { ViewPlugin } from '@codemirror/view';

/** So long is parsed at once, and so long is rested between, in milliseconds: keys come first. */
const workMs = 25;
const restMs = 50;

/**
 * Colours what is in view, however far down. CodeMirror's own worker rests for half a minute when it has parsed for three
 * seconds, and in a text of 20,000 lines that is before its end.
 */
export const parseInView = ViewPlugin.define((view) => {
  let timer: number | undefined;
  const isDue = (): boolean =>
    view.state.facet(language) !== null && !syntaxTreeAvailable(view.state, view.viewport.to);
  const plan = (): void => {
    if (timer === undefined && isDue()) timer = window.setTimeout(work, restMs);
  };
  const work = (): void => {
    timer = undefined;
    forceParsing(view, view.viewport.to, workMs);
    plan();
  };
  plan();
  return { update: plan, destroy: () => window.clearTimeout(timer) };
});
