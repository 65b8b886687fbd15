import type { AgentDescriptor } from '../agentDescriptor.js';

export const descriptor: AgentDescriptor = {
  id: 'claude',
  displayName: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  testedVersions: ['2.1.329'],
  askingFlags: ['--permission-mode', 'default'],
  approvesEdits: { unless: [/^--permission-mode(=|$)/, /^--dangerously-skip-permissions$/] },
  connect: '/ide',
  remembersConnect: false,
  splitsFolders: false,
  color: { light: '#a84c18', dark: '#f0a273' },
  mark: 'circle',
  officialExtension: 'anthropic.claude-code',
  writing: {
    lineEnds: 'mostlyCrlf',
    overwritesLineEnds: true,
    keepsBom: true,
    encodings: { 'UTF-16LE': 'kept', other: 'refused' },
  },
  secretFiles: ['.claude.json', '.claude/.credentials.json', '.claude/settings.local.json'],
  supports: {
    discovery: 'with `/ide` or `--ide`',
    openFiles: 'the active one; all on request',
    selection: 'selection',
    review: 'yes',
    acceptInTerminal: 'no, it writes its own proposal',
    emptyFile: 'yes',
    mention: 'yes',
    together: 'yes',
  },
};
