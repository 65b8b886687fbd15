import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createCaller, createDispatcher, hasCode, RpcError } from '../src/index.js';

const contract = {
  half: { params: z.object({ of: z.int() }), result: z.object({ half: z.number() }) },
  note: { params: z.object({}), result: z.null() },
} as const;

function createPair() {
  const faults: unknown[] = [];
  const dispatch = createDispatcher<typeof contract, string>({
    contract,
    handlers: {
      half: ({ of }, caller) => {
        if (of === 1) throw new RpcError('refused', `${caller} may not halve one.`);
        if (of === 3) throw new RangeError('Three is odd.');
        if (of === 5) throw new Error('the inside');
        return { half: of / 2 };
      },
      note: async () => null,
    },
    toRpcError: (error) =>
      error instanceof RangeError ? new RpcError('conflict', error.message) : undefined,
    onFault: (error) => faults.push(error),
  });
  const overJson = async (method: string, params: unknown): Promise<unknown> =>
    JSON.parse(JSON.stringify(await dispatch(method, JSON.parse(JSON.stringify(params)), 'Ann')));
  return { call: createCaller(contract, overJson), dispatch, faults };
}

describe('a call', () => {
  test('resolves to the parsed result', async () => {
    const { call } = createPair();
    expect(await call('half', { of: 4 })).toEqual({ half: 2 });
    expect(await call('note', {})).toBeNull();
  });

  test('rejects with the code and message of an RpcError of the handler', async () => {
    const { call, faults } = createPair();
    await expect(call('half', { of: 1 })).rejects.toMatchObject({
      code: 'refused',
      message: 'Ann may not halve one.',
    });
    expect(faults).toEqual([]);
  });

  test('rejects with the code of a translated error', async () => {
    const { call, faults } = createPair();
    await expect(call('half', { of: 3 })).rejects.toMatchObject({
      code: 'conflict',
      message: 'Three is odd.',
    });
    expect(faults).toEqual([]);
  });

  test('reports a fault to the server only', async () => {
    const { call, faults } = createPair();
    const error: unknown = await call('half', { of: 5 }).catch((reason: unknown) => reason);
    expect(hasCode(error, 'internal')).toBe(true);
    expect(String(error)).not.toContain('inside');
    expect(faults).toEqual([new Error('the inside')]);
  });

  test('rejects an answer that does not fit the contract', async () => {
    for (const answer of [undefined, null, 'text', {}, { result: {} }, { result: { half: '2' } }]) {
      const call = createCaller(contract, async () => answer);
      await expect(call('half', { of: 4 })).rejects.toMatchObject({ code: 'bad-answer' });
    }
  });

  test('reads a code of a newer version as internal', async () => {
    const call = createCaller(contract, async () => ({ error: { code: 'toString', message: 'New.' } }));
    await expect(call('half', { of: 4 })).rejects.toMatchObject({ code: 'internal', message: 'New.' });
  });

  test('passes on why the carrier failed', async () => {
    const call = createCaller(contract, () => Promise.reject(new Error('gone')));
    await expect(call('note', {})).rejects.toThrow('gone');
  });
});

describe('a dispatcher', () => {
  test('names the wrong parameter', async () => {
    const { dispatch } = createPair();
    for (const [params, where] of [
      [{}, 'of'],
      [{ of: 1.5 }, 'of'],
      [[], 'the parameters'],
      [undefined, 'the parameters'],
    ] as const) {
      const answer = await dispatch('half', params, '');
      expect(answer).toEqual({
        error: { code: 'bad-params', message: expect.stringContaining(`half: ${where}: `) },
      });
    }
  });

  test('refuses methods outside of the contract', async () => {
    const { dispatch } = createPair();
    for (const method of ['', 'none', 'constructor', '__proto__']) {
      expect(await dispatch(method, {}, '')).toMatchObject({ error: { code: 'unknown-method' } });
    }
  });
});
