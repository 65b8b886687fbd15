import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'codex',
  displayName: 'Codex CLI',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  testedVersions: ['0.171.0'],
  askingFlags: [],
  connect: '/ide',
  remembersConnect: false,
  splitsFolders: false,
  polls: true,
  color: { light: '#0b7a63', dark: '#5cd6b8' },
  mark: 'square',
  officialExtension: 'openai.chatgpt',
  secretFiles: ['.codex/auth.json'],
  trustedFiles: ['.codex/'],
  supports: {
    discovery: 'after `/ide`, in each session',
    openFiles: 'up to ten',
    selection: 'selection',
    review: 'if Tandem starts it',
    acceptInTerminal: 'no, it then asks only here',
    emptyFile: 'yes',
    mention: 'no',
    together: 'yes',
  },
};
