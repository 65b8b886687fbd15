import { type Answer, RpcError } from '@tandem/rpc';
import type { ShellParts } from '../app/shellState.js';

/** Makes a call, and asks the user what the host asks, until it is done. Undefined if the user cancels. */
export async function askAsNeeded<T>(
  shell: Pick<ShellParts, 'choose'>,
  call: (answer: { answer?: Answer }) => Promise<T>,
): Promise<T | undefined> {
  for (let answer: { answer?: Answer } = {}; ; ) {
    try {
      return await call(answer);
    } catch (error) {
      if (!(error instanceof RpcError) || error.question === undefined) throw error;
      const choice = await shell.choose(error.question);
      if (choice === undefined) return undefined;
      answer = { answer: choice.answer };
    }
  }
}
