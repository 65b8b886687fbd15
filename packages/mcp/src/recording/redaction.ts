export interface RedactionOptions {
  /** Keep the contents of files and selections, but never secrets. */
  readonly includeContents: boolean;
  /** Replaced wherever they occur. */
  readonly secrets: readonly string[];
}

/**
 * Fields whose text is part of the protocol or names a file. An allow-list stays right when an agent adds a field.
 */
const safeKeys: ReadonlySet<string> = new Set([
  '$schema',
  'code',
  'cwd',
  'displayName',
  'file_path',
  'file_paths',
  'filePath',
  'fsPath',
  'id',
  'ideName',
  'jsonrpc',
  'label',
  'lang',
  'method',
  'name',
  'new_file_path',
  'old_file_path',
  'opened_files',
  'path',
  'progressToken',
  'protocolVersion',
  'requestId',
  'required',
  'severity',
  'tab_name',
  'title',
  'type',
  'uri',
  'version',
  'workspaceFolders',
  'workspaceRoot',
]);

/** Constants of the protocols, in any field. */
const constants: ReadonlySet<string> = new Set([
  'DIFF_REJECTED',
  'File not found',
  'FILE_SAVED',
  'OK',
  'Project is closed or directory not found',
  'Tab not found',
  'TAB_CLOSED',
]);

const longestConstant = Math.max(...[...constants].map(({ length }) => length));

/** Redacted before: a report redacts a trace again. */
const leftOut = /^<\d{1,15} chars>$/;

/** Longer than any path: longer text in a safe field is content. */
const maxSafeText = 4096;

/** A key of another form may be content. */
const plainKey = /^[\w$./:@-]{1,64}$/;

/** Bounds the recursion. */
const maxDepth = 64;

const secretMark = '<secret>';

/** A copy of a message without secrets and, unless requested, without contents: fit for a bug report. */
export function redact(value: unknown, options: RedactionOptions): unknown {
  // Longest first: one secret may be part of another.
  const secrets = options.secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);

  const shortest = secrets.at(-1)?.length ?? Number.POSITIVE_INFINITY;

  const withoutSecrets = (text: string): string =>
    text.length < shortest
      ? text
      : secrets.reduce((rest, secret) => rest.replaceAll(secret, secretMark), text);

  const redactText = (text: string, isSafe: boolean): string => {
    const stays =
      options.includeContents ||
      // A lookup reads the whole text.
      (text.length <= longestConstant && (constants.has(text) || leftOut.test(text))) ||
      (isSafe && text.length <= maxSafeText);
    return stays ? withoutSecrets(text) : `<${text.length} chars>`;
  };

  const redactKey = (key: string): string =>
    options.includeContents || plainKey.test(key) ? withoutSecrets(key) : `<${key.length} chars>`;

  const visit = (node: unknown, isSafe: boolean, depth: number): unknown => {
    if (typeof node === 'string') return redactText(node, isSafe);
    if (typeof node !== 'object' || node === null) return node;
    if (depth >= maxDepth) return '<too deep>';
    if (Array.isArray(node))
      return node.map((item) => visit(item, isSafe && typeof item === 'string', depth + 1));
    const entries = Object.entries(node).map(
      ([key, item]) => [redactKey(key), visit(item, safeKeys.has(key), depth + 1)] as const,
    );
    return Object.fromEntries(entries);
  };

  return visit(value, false, 0);
}
