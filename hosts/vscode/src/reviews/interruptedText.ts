import type { InterruptedReview } from '@tandem/companion';
import type { Path } from '@tandem/core';

/** What a person typed, for a command that is to find where it is kept. */
export class InterruptedText {
  readonly agent: string;
  readonly path: Path;
  readonly content: string;

  constructor(agent: string, path: Path, content: string) {
    this.agent = agent;
    this.path = path;
    this.content = content;
  }

  isOf({ agent, path, content }: InterruptedReview): boolean {
    return agent === this.agent && path === this.path && content === this.content;
  }
}
