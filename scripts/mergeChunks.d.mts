import type { BuildOptions, BuildResult, Metafile, OutputFile } from 'esbuild';

export function mergeChunks<Options extends BuildOptions>(
  files: readonly OutputFile[],
  groups: readonly (readonly string[])[],
  options: Options & { readonly absWorkingDir: string },
): Promise<BuildResult<Options>>;

export function chunkTiers(
  metafile: Metafile,
  tiers: readonly (readonly string[])[],
  loading: readonly string[],
): string[][];
