import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'pi',
  displayName: 'pi',
  program: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  testedVersions: ['1.6.0'],
  askingFlags: [],
  isHookedOnly: true,
  remembersConnect: false,
  splitsFolders: false,
  color: { light: '#a02c6d', dark: '#f29ac9' },
  mark: 'square',
  secretFiles: ['.pi/agent/auth.json'],
  trustedFiles: ['.pi/'],
  supports: {
    discovery: 'if Tandem starts it',
    openFiles: 'no',
    selection: 'no',
    review: 'if Tandem starts it',
    acceptInTerminal: 'no, it never asks',
    emptyFile: 'yes',
    mention: 'no',
    together: 'yes',
  },
};
