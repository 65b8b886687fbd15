/** A question in two parts, as a model asks it: one answer for the first, several for the second. */
export const questions = [
  {
    question: 'Which colour?',
    header: 'Colour',
    options: [
      { label: 'Red', description: 'like fire' },
      { label: 'Blue', description: 'like water' },
    ],
    multiSelect: false,
  },
  {
    question: 'Which sizes?',
    header: 'Sizes',
    options: [
      { label: 'Small', description: 'up to 1' },
      { label: 'Large', description: 'above' },
    ],
    multiSelect: true,
  },
];
