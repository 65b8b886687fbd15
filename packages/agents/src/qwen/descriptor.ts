import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'qwen',
  displayName: 'Qwen Code',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  testedVersions: ['0.24.4', '0.15.10'],
  askingFlags: ['--approval-mode', 'default'],
  approvesEdits: { unless: [/^--approval-mode(=|$)/, /^(-y|--yolo)$/] },
  connect: '/ide enable',
  remembersConnect: true,
  splitsFolders: true,
  color: { light: '#7a3fd1', dark: '#c3a1ff' },
  mark: 'square',
  officialExtension: 'qwenlm.qwen-code-vscode-ide-companion',
  writing: {
    lineEnds: 'anyCrlf',
    keepsBom: true,
    encodings: {
      other: 'kept',
      'UTF-16LE without a byte order mark': 'replaced',
      'UTF-16BE without a byte order mark': 'replaced',
    },
  },
  secretFiles: ['.qwen/oauth_creds.json', '.qwen/settings.json'],
  trustedFiles: ['.qwen/'],
  supports: {
    discovery: 'by itself, after `/ide enable`',
    openFiles: 'up to ten',
    selection: 'yes',
    review: 'yes',
    acceptInTerminal: 'no, it writes its own proposal',
    emptyFile: 'no, Tandem refuses',
    mention: 'no',
    together: 'yes',
  },
};
