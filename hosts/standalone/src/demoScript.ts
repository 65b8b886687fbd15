/** The file that the demo's scratch folder starts with. */
export const greetingFile = {
  name: 'greeting.js',
  content: `export function greet(name) {
  return 'Hello ' + name;
}

export function farewell(name) {
  return 'Bye ' + name;
}

console.log(greet('world'));
`,
};

/** What the scripted agent proposes, one after the other. */
export const demoProposals = [
  {
    name: greetingFile.name,
    say: 'I would like to use template literals, and to greet you by name.',
    content: `export function greet(name) {
  return \`Hello, \${name}!\`;
}

export function farewell(name) {
  return 'Bye ' + name;
}

console.log(greet(process.env.USER ?? 'world'));
`,
  },
  {
    name: 'README.md',
    say: 'And I would add a short README.',
    content: '# Greeting\n\nRun it with `node greeting.js`.\n',
  },
] as const;
