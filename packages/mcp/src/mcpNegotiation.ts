/** The protocol versions that we negotiate, the one we offer first. */
export const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Told to a client whose `initialize` is none. */
export const invalidInitialize =
  'initialize needs {protocolVersion: string, capabilities: object, clientInfo: {name, version}}.';

/** Told to a client that initializes twice. */
export const alreadyInitialized = 'This session is initialized already.';
