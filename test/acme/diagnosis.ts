import { dirname, join } from 'node:path';
import type { AgentDiagnosis } from '@tandem/agents';
import { isRecord, portIn } from '../../packages/agents/src/agentDiagnosis.js';
import { splitFolders } from '../../packages/agents/src/ideCompanion/ideCompanion.js';

export const diagnosis: AgentDiagnosis = {
  carrier: { kind: 'http' },
  variables: { port: 'ACME_IDE_PORT', others: [] },
  deletesDeadFiles: false,
  lookingIn: (folder) => ({ name: 'ACME_HOME', value: dirname(folder) }),
  places: ({ home }) => [
    { folder: join(home, '.acme', 'ide'), names: /^\d+\.json$/, isOwnFolder: true, isRead: true },
  ],
  read(_name, content, { platform }) {
    const port = isRecord(content) ? portIn(content.port) : undefined;
    if (!isRecord(content) || port === undefined) return undefined;
    const { workspacePath, authToken: token } = content;
    const folders = splitFolders(workspacePath, platform);
    return { address: { port }, folders, opensGate: true, ...(typeof token === 'string' && { token }) };
  },
  settingsFiles: ({ home }) => [join(home, '.acme', 'settings.json')],
  readSettings: () => ({ opensDiffs: true }),
  choose([first]) {
    return first === undefined
      ? { kind: 'none' }
      : { kind: 'file', path: first.path, isByItself: true, rivals: [] };
  },
};
