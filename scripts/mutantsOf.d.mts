export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
  readonly isStatic: boolean;
}

export function mutantsOf(
  text: string,
  file: string,
  lastId: number,
): { readonly text: string; readonly mutants: readonly Mutant[] };
