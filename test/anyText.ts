import fc from 'fast-check';

/** Any UTF-16 code units, with those that texts are easily damaged at made frequent. */
export const anyText = fc.string({
  unit: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('\n', '\r\n', '\r', '\uFEFF', '\0', '\u2028', '\u2029', '\u0085', '\f'),
    },
    { weight: 3, arbitrary: fc.constantFrom('a', 'b', ' ', '\u{1F600}', 'e\u0301', '\uD83D', '\uDE00') },
    { weight: 1, arbitrary: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) },
  ),
  maxLength: 30,
});
