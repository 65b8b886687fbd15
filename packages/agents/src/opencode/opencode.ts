import { contextGuest } from '../claudeIde/contextGuest.js';
import { descriptor } from './descriptor.js';

/** Its ignore file is Kilo CLI's: where processes have no names, Kilo CLI is served as opencode. */
export const opencode = contextGuest(
  { descriptor, identity: { id: descriptor.id, ignoreFiles: [{ name: '.kilocodeignore' }] } },
  'OPENCODE_EDITOR_SSE_PORT',
);
