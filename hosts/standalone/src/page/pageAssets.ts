import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Path } from '@tandem/core';
import { RpcError } from '@tandem/rpc';
import { commandName } from '../output.js';
import { commonHeaders, hostOf } from './pageHttp.js';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Names that begin with a letter, a digit or an underscore: excludes `..`, hidden files and encoded names. */
const assetPath = /^\/(?:\w[\w.-]*\/)*\w[\w.-]*$/;
/** In this folder, Vite adds a hash of the content to all file names. */
const hashedFolder = '/assets/';

/**
 * The folder of the built page: beside the bundled command, whose chunks are one folder deeper, or in `dist` if the
 * sources run. `undefined` if the page is not built.
 */
export function builtPageFolder(): Path | undefined {
  const places = ['./page/', '../page/', '../../dist/page/'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html')));
}

/** Types that compress well, and the size below which compression does not pay off. */
const isShrinkable = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;
const minShrunkBytes = 1024;

/** Serves the built page. It contains no secret and needs no token. */
export class PageAssets {
  readonly #folder: Path;
  /** Compressed files with a hash in their name. Compressed because a tunnel may be slow. */
  readonly #compressed = new Map<string, Promise<Buffer>>();

  constructor(folder: Path) {
    this.#folder = folder;
  }

  /** Identifies the current build: it changes if the page is rebuilt while the companion runs. */
  async build(): Promise<string> {
    return buildOf(await this.#index());
  }

  async serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new RpcError('not-found', `The page does not know ${request.method} ${path}.`);
    }
    if (path === '/' || path === '/index.html') return this.#serveIndex(request, response);
    const content = assetPath.test(path) ? await this.#read(path) : undefined;
    if (content === undefined) throw new RpcError('not-found', 'There is no such file.');
    const type = contentTypes[extname(path)] ?? 'application/octet-stream';
    const isCompressed =
      path.startsWith(hashedFolder) &&
      isShrinkable.test(type) &&
      content.length >= minShrunkBytes &&
      /\bgzip\b/.test(String(request.headers['accept-encoding']));
    send(request, response, isCompressed ? await this.#compress(path, content) : content, {
      'content-type': type,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'cache-control': path.startsWith(hashedFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
      // An SVG image that the user opens directly is a document.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    });
  }

  async #serveIndex(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const index = await this.#index();
    const nonce = randomBytes(16).toString('base64');
    const html = index
      .replace('__STYLE_NONCE__', nonce)
      .replace('__BUILD__', buildOf(index))
      .replaceAll('__COMMAND__', commandName);
    send(request, response, Buffer.from(html), {
      'content-type': contentTypes['.html'] ?? '',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy(nonce, hostOf(request.headers) ?? ''),
    });
  }

  #compress(path: string, content: Buffer): Promise<Buffer> {
    const compressing = this.#compressed.get(path) ?? promisify(gzip)(content);
    this.#compressed.set(path, compressing);
    return compressing;
  }

  #index(): Promise<string> {
    return readFile(join(this.#folder, 'index.html'), 'utf8');
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, path));
    } catch {
      return undefined;
    }
  }
}

/**
 * Allows only our own files, no inline scripts, and inline styles only with the nonce: CodeMirror creates `style`
 * elements. Names the WebSocket address for browsers in which `'self'` does not include it.
 */
function contentSecurityPolicy(nonce: string, host: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self' ws://${host}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function buildOf(index: string): string {
  return createHash('sha256').update(index).digest('hex').slice(0, 16);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, { ...commonHeaders, ...headers, 'content-length': content.length });
  response.end(request.method === 'HEAD' ? undefined : content);
}
