/** The client of a daemon, with its SDK. Load it when it is first used. */

export { DaemonChat } from './qwenServe/daemonChat.js';
export { startDaemon } from './qwenServe/startDaemon.js';
