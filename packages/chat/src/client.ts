/** What talks to a daemon, and brings its SDK: an entry of its own, for those who load it when it is needed. */

export { DaemonChat } from './session/daemonChat.js';
export { startDaemon } from './start/startDaemon.js';
