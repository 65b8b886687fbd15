import { partsBelow, pathParts } from '../paths.js';
import type { Path } from '../position.js';
import { IgnoreChain } from './ignoreChain.js';
import { IgnorePatterns } from './ignorePatterns.js';

/** Files that are never shared by default: secrets by their usual names. */
export const defaultDenyList: readonly string[] = [
  // Environment files.
  '*.env',
  '.env*',
  '.dev.vars*',
  // Private keys and key stores.
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.pkcs12',
  '*.jks',
  '*.keystore',
  '*.keytab',
  '*.kdb',
  '*.kdbx',
  '*.ppk',
  '*.ovpn',
  'secring.*',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*_rsa',
  '*_dsa',
  '*_ecdsa',
  '*_ed25519',
  '.ssh/',
  '.gnupg/',
  'sops/age/',
  // Secrets and credentials by that name.
  'secret.*',
  '.secret',
  'secrets.*',
  '.secrets',
  '*-secret.y*ml',
  '*-secrets.y*ml',
  'client_secret*.json',
  '.credentials',
  'credentials',
  'credentials.csv',
  'credentials.db',
  'credentials.ini',
  'credentials.properties',
  'credentials.toml',
  'credentials.xml',
  'credentials.y*ml',
  '*credentials*.json',
  '*service-account*.json',
  '*service_account*.json',
  '*firebase-adminsdk*.json',
  'gha-creds-*.json',
  'auth.json',
  'mcp-auth.json',
  // Clouds, clusters and infrastructure.
  '.aws/',
  '.azure/',
  '.config/gcloud/',
  '.oci/',
  '.boto',
  '.s3cfg',
  '.passwd-s3fs',
  'rclone.conf',
  '.databrickscfg',
  'local.settings.json',
  '.kube/config',
  'kubeconfig',
  'kubeconfig.y*ml',
  '*.kubeconfig',
  '.docker/config.json',
  '.dockercfg',
  '.dockerconfigjson',
  '*.tfvars',
  '*.tfvars.json',
  '*.tfstate',
  '*.tfstate.*',
  '.terraformrc',
  'terraform.rc',
  '.vault-token',
  '.vault-pass*',
  '.vault_pass*',
  // Package registries, databases and hosts.
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  'pip.conf',
  'nuget.config',
  '.bundle/config',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.pgpass',
  'pgpass.conf',
  '.my.cnf',
  '.mylogin.cnf',
  '.htpasswd',
  'wp-config.php',
  '.ftpconfig',
  'sftp-config.json',
  '.vscode/sftp.json',
  'WebServers.xml',
  'filezilla.xml',
  'recentservers.xml',
  'sitemanager.xml',
  '.msmtprc',
  '.fetchmailrc',
  'logins.json',
  '.*_history',
  // Git and its hosts.
  '.git-credentials',
  '.gitcookies',
  '.git/credentials',
  '.git/**/config',
  '.git/**/config.worktree',
  '.config/gh/',
  '.config/glab-cli/',
  '.config/hub',
  // Coding agents.
  '.claude.json',
  '.claude/settings.local.json',
  'oauth_creds*.json',
  'mcp-oauth-tokens*.json',
  '.qwen/settings.json',
  '.copilot/config.json',
  '.config/github-copilot/',
  '.continue/config.*',
  '.aider.conf.yml',
  '.mcp.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
];

/**
 * Patterns in the syntax of `.gitignore`, matched against whole paths, case-insensitively. A pattern with a slash in
 * the middle matches at any depth. One that begins with a slash matches from the root of the file system or of a
 * workspace folder. One that begins with a Windows drive matches from that drive.
 */
export class DenyList {
  readonly patterns: readonly string[];
  readonly #chain: IgnoreChain;

  constructor(patterns: readonly string[]) {
    this.patterns = [...patterns];
    const denied = new IgnorePatterns();
    denied.add(patterns.map((pattern) => ({ pattern: anyDepth(pattern), mark: pattern })));
    this.#chain = new IgnoreChain([{ depth: 0, patterns: denied }]);
  }

  /**
   * The pattern that holds a file back, as the user wrote it; `undefined` when none does. Throws `EffortSpentError`
   * when the match takes too long.
   */
  match(
    path: Path,
    folders: readonly Path[] = [],
    report?: (comparisons: number) => void,
  ): string | undefined {
    // Without the colon of a drive, as in the patterns that `anyDepth` returns.
    const [first = '', ...rest] = pathParts(path);
    const ways = [[first.replace(/^([A-Za-z]):$/, '$1'), ...rest]];
    for (const folder of folders) ways.push(partsBelow(folder, path) ?? []);
    for (const way of ways) {
      const relative = way.join('/');
      if (relative === '') continue;
      const pattern = this.#chain.match(relative, report);
      if (pattern !== undefined) return pattern;
    }
    return undefined;
  }
}

/** gitignore anchors a pattern that has a slash in the middle; the deny list matches it at any depth. */
function anyDepth(pattern: string): string {
  const [, bang = '', body = ''] = /^(!?)(.*)$/s.exec(pattern) ?? [];
  const onDrive = /^([A-Za-z]):[\\/]+(.*)$/s.exec(body);
  if (onDrive !== null) return `${bang}/${onDrive[1]}/${onDrive[2]?.replaceAll('\\', '/')}`;
  const hasSlashInside = /^(?!\/|\*\*\/).+\/\s*\S/s.test(body);
  return hasSlashInside ? `${bang}**/${body}` : pattern;
}
