import * as z from 'zod';

/** What a failed call answers. `code` is for programs, `message` for people: cause and way out. */
export const controlFailure = z.object({
  error: z.object({
    code: z.enum(['unknown-method', 'bad-params', 'not-found', 'already-decided', 'refused', 'internal']),
    message: z.string(),
  }),
});

export type ControlFailureCode = z.infer<typeof controlFailure>['error']['code'];

/** A call that the companion answered with a failure. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: ControlFailureCode;

  constructor(code: ControlFailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
