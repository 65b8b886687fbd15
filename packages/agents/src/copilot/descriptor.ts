import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'copilot',
  displayName: 'Copilot CLI',
  program: 'copilot',
  install: 'npm install -g @github/copilot',
  testedVersions: ['1.0.102'],
  // It asks before each edit by default.
  askingFlags: [],
  connect: '/ide',
  remembersConnect: false,
  splitsFolders: false,
  color: { light: '#1a7f37', dark: '#7ee2a0' },
  mark: 'circle',
  officialExtension: 'github.copilot-chat',
  secretFiles: ['.copilot/config.json'],
  trustedFiles: ['.copilot/', '.github/hooks/'],
  supports: {
    discovery: 'by itself; in subfolders with `tandem run`, or in VS Code',
    openFiles: 'the active one, if text is selected',
    selection: 'selection',
    review: 'yes; without `tandem run` it ignores your edits, and Tandem saves them',
    acceptInTerminal: 'no, it writes its own proposal',
    emptyFile: 'with `tandem run`',
    mention: 'yes',
    together: 'yes',
  },
};
