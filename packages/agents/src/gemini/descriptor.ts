import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'gemini',
  displayName: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  testedVersions: ['0.61.0'],
  askingFlags: ['--approval-mode', 'default'],
  connect: '/ide enable',
  remembersConnect: true,
  splitsFolders: true,
  color: { light: '#1a5fd0', dark: '#86b4ff' },
  mark: 'diamond',
  officialExtension: 'google.gemini-cli-vscode-ide-companion',
  writing: { lineEnds: 'anyCrlf' },
  secretFiles: ['.gemini/oauth_creds.json', '.gemini/mcp-oauth-tokens-v2.json'],
  trustedFiles: ['.gemini/'],
  supports: {
    discovery: 'by itself, after `/ide enable`',
    openFiles: 'up to ten',
    selection: 'yes',
    review: 'yes',
    acceptInTerminal: 'yes',
    emptyFile: 'no, Tandem refuses',
    mention: 'no',
    together: 'yes',
  },
};
