import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * The document of the chat's webview. Nothing runs in it but our own script, by a nonce that its parts inherit; it connects
 * nowhere, and pictures are its own or stand in a message themselves. Neither an address nor a token is in it.
 */
export function chatHtml(webview: vscode.Webview, folder: vscode.Uri): string {
  const nonce = randomBytes(24).toString('base64url');
  const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tandem Chat</title>
    <link rel="stylesheet" href="${uri('chat.css')}">
  </head>
  <body>
    <div id="page"></div>
    <script type="module" nonce="${nonce}" src="${uri('chat.js')}"></script>
  </body>
</html>`;
}
