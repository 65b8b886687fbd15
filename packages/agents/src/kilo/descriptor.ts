import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'kilo',
  displayName: 'Kilo CLI',
  program: 'kilo',
  install: 'npm install -g @kilocode/cli',
  testedVersions: ['7.7.9'],
  askingFlags: [],
  remembersConnect: false,
  splitsFolders: false,
  color: { light: '#7a6a00', dark: '#e6d84a' },
  mark: 'square',
  connectsThrough: 'claude',
  secretFiles: ['.local/share/kilo/auth.json', '.local/share/kilo/mcp-auth.json'],
  supports: {
    discovery: 'by itself',
    openFiles: 'the active one',
    selection: 'selection',
    review: 'no',
    acceptInTerminal: 'no',
    emptyFile: 'no',
    mention: 'yes',
    together: 'yes',
  },
};
