import type { Path } from '@tandem/core';

/** Where the CLIs look for discovery files. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: Path;
  readonly tmpdir: Path;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether we run inside a container. */
  readonly isContainer?: boolean;
}
