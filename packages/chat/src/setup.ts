/** What a host needs before it has a daemon: an entry of its own, which brings no SDK. */

export { DaemonError } from './connection/daemonError.js';
export { validateDaemonBaseUrl } from './connection/daemonUrl.js';
export { emptyChat } from './model/chatModel.js';
