import { ideCompanion } from '../ideCompanion/ideCompanion.js';
import { promptScreen } from '../ideCompanion/promptScreen.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';
import { discovery } from './discovery.js';

export const gemini = ideCompanion({
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [{ name: '.geminiignore' }] },
  discovery,
  diagnosis,
  hooks: async () => (await import('./hooks.js')).hooks,
  screen: promptScreen(/^\u25c7\s+Ready \(/),
});
