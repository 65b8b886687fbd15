/** The sentences of the notes on a review. */
export function noteTexts({ notes }: { readonly notes: readonly { readonly text: string }[] }): string[] {
  return notes.map(({ text }) => text);
}
