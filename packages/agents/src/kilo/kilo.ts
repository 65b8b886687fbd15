import { contextGuest } from '../claudeIde/contextGuest.js';

/** It sends exactly what opencode sends; only the name of its process differs. */
export const kilo = contextGuest({
  id: 'kilo',
  displayName: 'Kilo CLI',
  install: 'npm install -g @kilocode/cli',
  testedVersions: ['7.7.9'],
  color: { light: '#7a6a00', dark: '#e6d84a' },
  portVariable: 'KILO_EDITOR_SSE_PORT',
  configVariable: 'KILO_CONFIG_CONTENT',
  process: /^\.?kilo/,
});
