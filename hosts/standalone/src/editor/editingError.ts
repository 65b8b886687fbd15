/** Why something that a person wanted done in the editor was not done. The message is fit for the person. */
export class EditingError extends Error {
  override readonly name = 'EditingError';
  readonly code:
    | 'changed'
    | 'unsaved'
    | 'conflict'
    | 'already-decided'
    | 'not-found'
    | 'refused'
    | 'too-large'
    | 'bad-request';
  constructor(code: EditingError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
