import { contextGuest } from '../claudeIde/contextGuest.js';
import { descriptor } from './descriptor.js';

/** It sends exactly what opencode sends; only the name of its process differs. */
export const kilo = contextGuest(
  { descriptor, identity: { id: descriptor.id, ignoreFiles: [{ name: '.kilocodeignore' }] } },
  'KILO_EDITOR_SSE_PORT',
  /^\.?kilo/,
);
