import { IgnorePatterns } from './ignorePatterns.js';
import { partsBelow, pathParts } from './paths.js';
import type { Path } from './position.js';

/** What never leaves the editor unless the user says otherwise: secrets by their usual names. */
export const defaultDenyList: readonly string[] = [
  '.env*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh/',
  '.gnupg/',
  '.aws/',
  '.azure/',
  '.kube/config',
  '.docker/config.json',
  '.config/gcloud/',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.htpasswd',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  'credentials',
  'credentials.csv',
  'credentials.db',
  'credentials.toml',
  'credentials.xml',
  'credentials.y*ml',
  '*credentials*.json',
  '*service-account*.json',
  'secrets.json',
  'secrets.toml',
  'secrets.y*ml',
  '.vault-token',
];

/**
 * Patterns in the syntax of `.gitignore`, matched against whole paths and without regard to case. One with a slash
 * in the middle matches at any depth; one that begins with a slash, from the root of the file system or of a
 * workspace folder; one that begins with a Windows drive, from there.
 */
export class DenyList {
  readonly patterns: readonly string[];
  readonly #matcher = new IgnorePatterns();

  constructor(patterns: readonly string[]) {
    this.patterns = [...patterns];
    this.#matcher.add(patterns.map((pattern) => ({ pattern: anyDepth(pattern), mark: pattern })));
  }

  /** The pattern that holds a file back, as the user wrote it; `undefined` when none does. */
  match(path: Path, folders: readonly Path[] = []): string | undefined {
    // Without a drive's colon, as `anyDepth` makes of a pattern.
    const [first = '', ...rest] = pathParts(path);
    const ways = [[first.replace(/^([A-Za-z]):$/, '$1'), ...rest]];
    for (const folder of folders) ways.push(partsBelow(folder, path) ?? []);
    for (const way of ways) {
      const relative = way.join('/');
      if (relative === '') continue;
      const pattern = this.#matcher.match(relative);
      if (pattern !== undefined) return pattern;
    }
    return undefined;
  }
}

/** gitignore anchors a pattern that has a slash in the middle; here it means that run of names wherever it is. */
function anyDepth(pattern: string): string {
  const [, bang = '', body = ''] = /^(!?)(.*)$/s.exec(pattern) ?? [];
  const onDrive = /^([A-Za-z]):[\\/]+(.*)$/s.exec(body);
  if (onDrive !== null) return `${bang}/${onDrive[1]}/${onDrive[2]?.replaceAll('\\', '/')}`;
  const hasSlashInside = /^(?!\/|\*\*\/).+\/\s*\S/s.test(body);
  return hasSlashInside ? `${bang}**/${body}` : pattern;
}
