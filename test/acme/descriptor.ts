import type { AgentDescriptor } from '@tandem/agents';

export const descriptor: AgentDescriptor = {
  id: 'acme',
  displayName: 'Acme Coder',
  program: 'acme',
  install: 'npm install -g acme-coder',
  testedVersions: ['1.2.3'],
  askingFlags: ['--ask'],
  approvesEdits: { unless: [/^--yes$/] },
  connect: '/connect',
  remembersConnect: false,
  splitsFolders: true,
  color: { light: '#0b6b6b', dark: '#7fdede' },
  mark: 'circle',
  secretFiles: ['.acme/credentials.json'],
  trustedFiles: ['.acme/settings.json'],
  supports: {
    discovery: 'by itself',
    openFiles: 'ten',
    selection: 'yes',
    review: 'yes',
    acceptInTerminal: 'yes',
    emptyFile: 'no, Tandem warns you',
    mention: 'no',
    together: 'yes',
  },
};
