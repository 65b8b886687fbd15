/** What a user reads of a review that a crash would lose, such as one for which the disk has no space. */
export function describeNotKept(isEdited: boolean, reason: string): string {
  return `Not saved: a crash would lose ${isEdited ? 'your edits' : 'this review'} (${reason}).`;
}
