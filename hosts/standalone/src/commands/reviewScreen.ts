import { type CompanionChoice, chooseCompanion } from '../connectCompanion.js';

interface ReviewScreenOptions extends CompanionChoice {
  readonly plain?: boolean;
  readonly popup?: boolean;
}

/** `tandem review` in a terminal: all pending reviews, one after the other. */
export async function reviewScreen({ plain, popup, ...choice }: ReviewScreenOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), choice);
  if (plain || process.env.TERM === 'dumb') {
    const { reviewInLines } = await import('../screen/plainReview.js');
    return reviewInLines(companion);
  }
  const { runReviewScreen } = await import('../screen/reviewScreen.js');
  await runReviewScreen(companion, { isPopup: popup === true });
}
