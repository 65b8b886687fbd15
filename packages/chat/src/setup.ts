/** What a host needs before it uses a daemon. This entry does not load the SDK. */

export { emptyChat } from './model/chatModel.js';
export { DaemonError } from './qwenServe/daemonError.js';
export { validateDaemonBaseUrl } from './qwenServe/daemonUrl.js';
