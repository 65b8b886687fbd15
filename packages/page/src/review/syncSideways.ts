import type { MergeView } from '@codemirror/merge';

/**
 * Two sides of one text scroll sideways together. Their own scroll bars are at the end of the text, out of sight: one
 * that stays at the bottom of what is seen does for both. Returns what ends it.
 */
export function syncSideways({ dom, a, b }: MergeView): () => void {
  const bar = document.createElement('div');
  bar.className = 'cm-sidewaysBar';
  bar.setAttribute('aria-hidden', 'true');
  const width = bar.appendChild(document.createElement('div'));
  dom.append(bar);
  const scrollers = [a.scrollDOM, b.scrollDOM, bar];
  /** What was scrolled last; the others follow. One whose text is shorter as long as not all of it is laid out is behind. */
  let leader: HTMLElement | undefined;
  const followed = new Map<HTMLElement, number>();
  const follow = (): void => {
    for (const other of scrollers) {
      if (leader === undefined || other === leader || other.scrollLeft === leader.scrollLeft) continue;
      other.scrollLeft = leader.scrollLeft;
      followed.set(other, other.scrollLeft);
    }
  };
  const onScroll = ({ target }: Event): void => {
    if (!(target instanceof HTMLElement) || followed.get(target) === target.scrollLeft) return;
    followed.clear();
    leader = target;
    follow();
  };
  const measure = (): void => {
    const beyond = Math.max(...[a, b].map(({ scrollDOM }) => scrollDOM.scrollWidth - scrollDOM.clientWidth));
    bar.hidden = beyond <= 0;
    width.style.width = `${bar.clientWidth + beyond}px`;
    follow();
  };
  const observer = new ResizeObserver(measure);
  for (const element of [dom, a.contentDOM, b.contentDOM]) observer.observe(element);
  for (const scroller of scrollers) scroller.addEventListener('scroll', onScroll, { passive: true });
  return () => {
    observer.disconnect();
    for (const scroller of scrollers) scroller.removeEventListener('scroll', onScroll);
  };
}
