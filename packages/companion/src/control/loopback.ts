/**
 * For a host that opens a listener of its own on 127.0.0.1 beside the companion's, such as one for a page. A separate
 * entry, because hosts do not import the transport package.
 */

export {
  bearerToken,
  createToken,
  DiscoveryError,
  LoopbackServer,
  lazily,
  openOwnFolder,
  readDiscoveryFile,
  readRequestBody,
  tokensEqual,
} from '@tandem/mcp';
