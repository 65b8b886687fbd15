import { DaemonApi } from '../connection/daemonApi.js';
import type { DaemonIdeSessionFactory } from './ideTypes.js';

/** Opens sessions by `@qwen-code/sdk`: the daemon's shared session, created or attached to. */
export function createSdkDaemonSessionFactory(): DaemonIdeSessionFactory {
  return async ({ baseUrl, token, ...request }, signal) => {
    const api = await DaemonApi.open(token === undefined ? { baseUrl } : { baseUrl, token }, signal);
    const client = await api.createSession(request);
    return { client, reopen: () => api.loadSession(client.sessionId, client.workspaceCwd) };
  };
}
