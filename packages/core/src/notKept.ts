/** The message to the user for a review that a crash would lose, for example because the disk is full. */
export function describeNotKept(isEdited: boolean, reason: string): string {
  return `Not saved: a crash would lose ${isEdited ? 'your edits' : 'this review'} (${reason}).`;
}
