/**
 * How a client calls itself that only asks whether it would get in: `tandem doctor`. It needs the token, its `initialize`
 * is answered and recorded as every other, and that ends its session. It is no agent: nobody is told of it, and it is told
 * nothing. So there is nothing to be had by calling oneself that.
 */
export const probeClient = { name: 'tandem-doctor', version: '1.0.0' };

/** Whether a client only asks. */
export function isProbe(client: { readonly name: string }): boolean {
  return client.name === probeClient.name;
}

/** Whether a message is all that such a client says. */
export function isProbing(message: unknown): boolean {
  if (member(message, 'method') !== 'initialize') return false;
  return member(member(member(message, 'params'), 'clientInfo'), 'name') === probeClient.name;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
