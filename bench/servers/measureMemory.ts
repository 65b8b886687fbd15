/** Bytes in use after a full garbage collection. */
export interface MemoryUse {
  readonly heap: number;
  readonly resident: number;
}

/** Measures memory. The process needs `--expose-gc`. */
export async function measureMemory(): Promise<MemoryUse> {
  for (let pass = 0; pass < 4; pass += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}
