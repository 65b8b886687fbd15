import { join } from 'node:path';
import { ideCompanion } from '../ideCompanion/ideCompanion.js';
import { descriptor } from './descriptor.js';
import { diagnosis, geminiHome } from './diagnosis.js';
import { discovery } from './discovery.js';

export const gemini = ideCompanion({
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [{ name: '.geminiignore' }] },
  discovery,
  diagnosis,
  hookFile: (machine) => join(geminiHome(machine), 'settings.json'),
  hooks: async () => (await import('./hooks.js')).hooks,
});
