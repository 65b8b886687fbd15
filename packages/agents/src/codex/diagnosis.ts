import { dirname, join } from 'node:path';
import type { AgentDiagnosis } from '../agentDiagnosis.js';
import { codexHome, socketPath } from './discovery.js';

/** How Codex CLI 0.169 looks for a companion. See PROTOCOL.md. */
export const diagnosis: AgentDiagnosis = {
  carrier: { kind: 'http' },
  socket: {
    path: socketPath,
    async probe(path, cwd, limitMs) {
      const { probeSocket } = await import('./probeSocket.js');
      return probeSocket(path, cwd, limitMs);
    },
  },
  deletesDeadFiles: false,
  lookingIn: (folder) => ({ name: 'CODEX_HOME', value: dirname(folder) }),
  places: (machine) =>
    machine.platform === 'win32'
      ? []
      : // It must be private, but contains no discovery files.
        [{ folder: dirname(socketPath(machine)), names: /(?!)/, isOwnFolder: true, isRead: true }],
  read: () => undefined,
  settingsFiles: (machine) => [join(codexHome(machine), 'config.toml')],
  // No setting concerns the editor: the CLI never opens diffs, and `/ide` is not remembered.
  readSettings: () => ({ opensDiffs: true }),
  hooksOff: async (from) => (await import('./hookTrust.js')).codexHooksOff(from),
  choose: () => ({ kind: 'none' }),
};
