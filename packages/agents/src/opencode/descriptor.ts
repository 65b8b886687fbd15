import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'opencode',
  displayName: 'opencode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  testedVersions: ['1.18.33'],
  askingFlags: [],
  remembersConnect: false,
  splitsFolders: false,
  color: { light: '#52525b', dark: '#d4d4d8' },
  mark: 'square',
  connectsThrough: 'claude',
  secretFiles: ['.local/share/opencode/auth.json', '.local/share/opencode/mcp-auth.json'],
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
