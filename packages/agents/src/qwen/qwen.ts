import { join } from 'node:path';
import { ideCompanion } from '../ideCompanion/ideCompanion.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';
import { discovery, qwenHome } from './discovery.js';

export const qwen = ideCompanion({
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [{ name: '.qwenignore' }] },
  discovery,
  diagnosis,
  hookFile: (machine) => join(qwenHome(machine), 'settings.json'),
  hooks: async () => (await import('./hooks.js')).hooks,
});
