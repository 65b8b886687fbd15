import { toRpcError } from '@tandem/companion';
import { DaemonError } from '@tandem/companion/chat';
import { DocumentError, describeError } from '@tandem/core';
import { pageContract } from '@tandem/page/wire';
import { createDispatcher, type Dispatcher, RpcError } from '@tandem/rpc';
import { pageChatCalls } from '../chat/pageChatCalls.js';
import { changeCalls } from './changeCalls.js';
import { documentCalls } from './documentCalls.js';
import { helpCalls } from './helpCalls.js';
import type { LiveConnection } from './liveConnection.js';
import type { PageServices } from './pageServices.js';
import { reviewCalls } from './reviewCalls.js';
import { workspaceCalls } from './workspaceCalls.js';

/** Answers the page's calls. */
export function createPageDispatcher(services: PageServices): Dispatcher<LiveConnection | undefined> {
  return createDispatcher({
    contract: pageContract,
    handlers: {
      ping: () => null,
      ...reviewCalls(services),
      ...changeCalls(services),
      ...documentCalls(services),
      ...workspaceCalls(services),
      ...pageChatCalls(services),
      ...helpCalls(services),
    },
    toRpcError: (error) => {
      const isMissing = error instanceof DocumentError && error.code === 'not-found';
      if (isMissing) return new RpcError('not-found', error.message, { cause: error });
      if (error instanceof DaemonError) return new RpcError('refused', error.message, { cause: error });
      return toRpcError(error);
    },
    onFault: (error) => services.logger.error('a call of the page failed', { error: describeError(error) }),
  });
}
