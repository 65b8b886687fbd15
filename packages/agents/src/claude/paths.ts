import type { Path } from '@tandem/core';

/**
 * Conversions between native paths, paths on the wire and URIs (claude-code-ide.md, "Path Handling"). Pure functions of
 * a path and a platform: on POSIX systems a path is itself.
 */

/** `C:\Users\x` becomes `/c/Users/x`; on other systems the path is unchanged. */
export function toWirePath(path: Path, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return path;
  const drive = /^([A-Za-z]):[\\/]?/.exec(path);
  const rest = (drive ? path.slice(drive[0].length) : path).replaceAll('\\', '/');
  return drive?.[1] ? `/${drive[1].toLowerCase()}/${rest}` : rest;
}

/** The inverse of `toWirePath`. Native Windows paths, which the CLI may also send, are unchanged. */
export function fromWirePath(path: string, platform: NodeJS.Platform): Path {
  if (platform !== 'win32') return path;
  const drive = /^\/([A-Za-z])(?:\/|$)/.exec(path);
  if (drive?.[1]) return `${drive[1].toUpperCase()}:\\${path.slice(drive[0].length).replaceAll('/', '\\')}`;
  return path.replaceAll('/', '\\');
}

/**
 * `file://` and the path without percent-encoding: Claude Code 2.1 compares URIs as text with its own raw ones, and
 * ignores diagnostics with any other spelling. On Windows `file:///c:/Users/x`.
 */
export function toFileUri(path: Path, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return `file://${path}`;
  const [, drive, rest] = /^([A-Za-z]):[\\/]?(.*)$/s.exec(path) ?? [];
  if (drive === undefined || rest === undefined) return `file://${path.replaceAll('\\', '/')}`;
  return `file:///${drive.toLowerCase()}:/${rest.replaceAll('\\', '/')}`;
}

/**
 * The possible paths of a URI, the most likely first: unchanged, because Claude Code sends raw paths, and decoded,
 * because other clients encode them. Empty if it is not a `file:` URI.
 */
export function pathsOfFileUri(uri: string, platform: NodeJS.Platform): Path[] {
  const raw = /^file:\/\/(.+)$/is.exec(uri)?.[1];
  if (raw === undefined) return [];
  const readings = new Set([raw, decoded(raw)].map(platform === 'win32' ? windowsPath : posixPath));
  return [...readings].filter((path) => path !== undefined);
}

function posixPath(raw: string): Path | undefined {
  const path = raw.replace(/^localhost(?=\/)/i, '');
  return path.startsWith('/') ? path : undefined;
}

/** `/c:/x` and `/c/x` as in the document, `C:\x` as a raw path, `//server/share` for a share. */
function windowsPath(raw: string): Path | undefined {
  const path = raw.replace(/^localhost(?=\/)/i, '').replace(/^\/(?=[A-Za-z]:)/, '');
  if (!/^([A-Za-z]:|[\\/])/.test(path)) return undefined;
  const native = fromWirePath(path, 'win32');
  return native.replace(/^[a-z](?=:)/, (drive) => drive.toUpperCase());
}

/** The percent-decoded text; unchanged if its percent signs are not an encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
