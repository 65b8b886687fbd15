import { join } from 'node:path';
import { ideCompanion, joinFolders } from '../../packages/agents/src/ideCompanion/ideCompanion.js';
import { descriptor } from './descriptor.js';
import { diagnosis } from './diagnosis.js';

/** A made-up agent that speaks the IDE companion protocol: everything that a new agent needs. */
export const acme = ideCompanion({
  descriptor,
  identity: { id: descriptor.id, ignoreFiles: [{ name: '.acmeignore' }] },
  discovery: {
    files: (served) => [
      {
        folder: join(served.machine.home, '.acme', 'ide'),
        isOwnFolder: true,
        name: `${served.port}.json`,
        namePattern: /^\d+\.json$/,
        content: { port: served.port, workspacePath: joinFolders(served), authToken: served.token },
      },
    ],
    environment: ({ port }) => ({ ACME_IDE_PORT: String(port) }),
  },
  diagnosis,
});
