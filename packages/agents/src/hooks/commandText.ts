import * as z from 'zod';

const args = z.object({ command: z.string() });

/** The command in the arguments of a tool that runs one, for `CommandEvent.command`. */
export function commandText(input: unknown): string {
  return args.safeParse(input).data?.command ?? '';
}
