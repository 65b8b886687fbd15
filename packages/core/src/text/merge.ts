export function mergeText(_b: string, m: string, _t: string): { ok: true; text: string } | { ok: false; text: string } { return { ok: true, text: m }; }
