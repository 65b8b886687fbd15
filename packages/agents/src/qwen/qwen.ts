import { ideCompanion } from '../ideCompanion/ideCompanion.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';
import { discovery } from './discovery.js';

export const qwen = ideCompanion({
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [{ name: '.qwenignore' }] },
  discovery,
  diagnosis,
  hooks: async () => (await import('./hooks.js')).hooks,
});
