export function truncateToBytes(text: string, maxBytes: number): string { return text.slice(0, maxBytes); }
