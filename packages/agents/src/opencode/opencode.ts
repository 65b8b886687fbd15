import { contextGuest } from '../claudeIde/contextGuest.js';

/** Where processes have no names, Kilo CLI is served as opencode. */
export const opencode = contextGuest({
  id: 'opencode',
  displayName: 'opencode',
  install: 'npm install -g opencode-ai',
  testedVersions: ['1.18.34'],
  color: { light: '#52525b', dark: '#d4d4d8' },
  portVariable: 'OPENCODE_EDITOR_SSE_PORT',
  configVariable: 'OPENCODE_CONFIG_CONTENT',
});
