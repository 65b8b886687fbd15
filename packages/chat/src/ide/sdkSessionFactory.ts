import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { DaemonApi, type NewSessionOptions } from '../connection/daemonApi.js';
import type { DaemonIdeSessionFactory } from './ideTypes.js';

/** Chooses the session to follow. */
export type OpenSession = (api: DaemonApi, options: NewSessionOptions) => Promise<DaemonSessionClient>;

/** Opens sessions by `@qwen-code/sdk`: the daemon's shared one, created or attached to, unless `open` chooses another. */
export function createSdkDaemonSessionFactory(open: OpenSession = openShared): DaemonIdeSessionFactory {
  return async ({ baseUrl, token, ...request }, signal) => {
    const api = await DaemonApi.open(token === undefined ? { baseUrl } : { baseUrl, token }, signal);
    const client = await open(api, request);
    return { client, reopen: () => api.loadSession(client.sessionId, client.workspaceCwd) };
  };
}

function openShared(api: DaemonApi, options: NewSessionOptions): Promise<DaemonSessionClient> {
  return api.createSession(options);
}
