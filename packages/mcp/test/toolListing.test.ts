import { expect, test } from 'vitest';
import * as z from 'zod';
import { listTool } from '../src/answerRequest.js';
import { defineTool } from '../src/index.js';

test('describes the input of a tool once for all sessions', () => {
  const input = z.object({ text: z.string() });
  const [one, other] = ['one', 'other'].map((name) =>
    listTool(defineTool({ name, description: 'A tool.', input, run: () => ({ content: [] }) })),
  );
  expect(one).toMatchObject({ name: 'one', inputSchema: { type: 'object', required: ['text'] } });
  expect(other?.inputSchema).toBe(one?.inputSchema);
});
