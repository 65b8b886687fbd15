import type { Recorder } from './recording/recorder.js';
export function createRecorder(options: {
  write(line: string): void;
  clock: { now(): number };
  includeContents?: boolean;
  secrets: readonly string[];
}): Recorder {
  return {
    record: (entry) =>
      options.write(
        JSON.stringify({
          t: options.clock.now(),
          endpoint: entry.endpoint,
          session: entry.session,
          direction: entry.direction,
        }),
      ),
  };
}
