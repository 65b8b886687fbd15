import { finishWithPauses, type Pause, type Steps } from '@tandem/core';
import type { RpcAnswer } from '@tandem/rpc';

/** The bytes of an answer as `JSON.stringify` would write it, value by value: a large review takes long to encode. */
export function encodeAnswer(answer: RpcAnswer, pause: Pause): Promise<Buffer[]> {
  return finishWithPauses(encodeInSteps(answer), pause);
}

function* encodeInSteps(answer: RpcAnswer): Steps<Buffer[]> {
  const result: unknown = 'result' in answer ? answer.result : undefined;
  if (typeof result !== 'object' || result === null || Array.isArray(result))
    return [Buffer.from(JSON.stringify(answer))];
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(result)) {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) continue;
    parts.push(Buffer.from(`${parts.length === 0 ? '' : ','}${JSON.stringify(name)}:${text}`));
    yield undefined;
  }
  return [Buffer.from('{"result":{'), ...parts, Buffer.from('}}')];
}
