/** What the journal calls a review: unique among all companions. A review that continues another one inherits its key. */
export type ReviewKey = string;

let lastNumber = 0;

/** A new key: 24 hexadecimal digits. Later keys are greater. */
export function newReviewKey(): ReviewKey {
  lastNumber = (lastNumber + 1) % 0x1_00_00;
  const random = Math.floor(Math.random() * 0x1_00_00_00_00);
  return hex(Date.now(), 12) + hex(lastNumber, 4) + hex(random, 8);
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0').slice(-digits);
}
