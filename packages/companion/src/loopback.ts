/**
 * What a host needs that opens a listener of its own on 127.0.0.1 beside the companion's, such as one for a page. An
 * entry of its own, because hosts know nothing of transport.
 */

export {
  bearerToken,
  type ConnectionLimit,
  createToken,
  DiscoveryError,
  lazily,
  limitConnections,
  openOwnFolder,
  readDiscoveryFile,
  readRequestBody,
  tokensEqual,
} from '@tandem/mcp';
