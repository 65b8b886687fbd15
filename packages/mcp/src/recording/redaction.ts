/** What stays readable of a recorded message. */
export interface RedactionOptions {
  /** Keep the contents of files and selections. Secrets are replaced all the same. */
  readonly includeContents: boolean;
  /** Replaced wherever they occur. Read at each message, so that the owner may add to it. */
  readonly secrets: readonly string[];
}

/**
 * Members whose text is part of the protocol or names a file. An allow-list, because a list of what is secret
 * would be wrong with the next field that an agent adds.
 */
const safeKeys: ReadonlySet<string> = new Set([
  '$schema',
  'code',
  'cwd',
  'displayName',
  'file_path',
  'file_paths',
  'filePath',
  'id',
  'ideName',
  'jsonrpc',
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
]);

/** Answers that are words of a protocol, wherever they stand. */
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

/** What this has left out before: a trace may be redacted once more for a report. */
const leftOut = /^<\d{1,15} chars>$/;

/** No path is longer on any system of ours; something longer under a safe key is content in disguise. */
const maxSafeText = 4096;

/** Keys are names. What does not look like one is content that somebody used as a key. */
const plainKey = /^[\w$./:@-]{1,64}$/;

/** Nobody nests a message so deeply, and recursion must not exhaust the stack on one who does. */
const maxDepth = 64;

const secretMark = '<secret>';

/** A copy of a message with everything replaced that a bug report must not hold. */
export function redact(value: unknown, options: RedactionOptions): unknown {
  // Longest first: one secret may be a part of another.
  const secrets = options.secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);

  const withoutSecrets = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, secretMark), text);

  const redactText = (text: string, isSafe: boolean): string => {
    const stays =
      options.includeContents ||
      // Looking a text up reads all of it: that is for short ones.
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
