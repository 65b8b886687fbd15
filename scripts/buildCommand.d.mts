import type { BuildResult } from 'esbuild';

export function bundleCommand(options?: {
  readonly outdir?: string;
  readonly sourcemap?: boolean;
}): Promise<BuildResult<{ write: false; metafile: true }> & { readonly modules: readonly string[] }>;
