/**
 * Connects an editor that starts its own connection command with our stdin and stdout:
 *
 *     node editorPeer.mjs emacs --batch …
 *
 * starts the editor with TANDEM_EDITOR_COMMAND, a JSON array: the command that the editor has to start as its
 * connection. Ends with the editor, and ends it when our stdin ends.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [first, ...rest] = process.argv.slice(2);
if (first === '--connect') relay(rest[0]);
else startEditor(first, rest);

/** The editor's side. */
function relay(path) {
  const socket = connect(path);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  socket.once('close', () => process.exit());
  socket.once('error', () => process.exit(1));
}

function startEditor(file, args) {
  const folder = mkdtempSync(join(tmpdir(), 'editor-peer-'));
  const path = join(folder, 'socket');
  const server = createServer((socket) => {
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
  server.listen(path, () => {
    const command = [process.execPath, fileURLToPath(import.meta.url), '--connect', path];
    const env = { ...process.env, TANDEM_EDITOR_COMMAND: JSON.stringify(command) };
    const editor = spawn(file, args, { stdio: ['ignore', 2, 2], env });
    const end = (code) => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(code);
    };
    editor.once('error', (error) => {
      console.error(`${file} does not start: ${error.message}`);
      end(1);
    });
    editor.once('exit', (code) => end(code ?? 1));
    process.stdin.once('end', () => setTimeout(() => editor.kill(), 2000));
  });
}
