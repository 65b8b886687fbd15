/** What VS Code gives a webview to talk to its extension. */
export interface EditorApi {
  postMessage(message: unknown): void;
  /** What `setState` kept: it outlives the webview, which is thrown away while it is hidden. */
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  /** Can be called once. */
  var acquireVsCodeApi: () => EditorApi;
}
