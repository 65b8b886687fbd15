import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../src/index.js';
import { listTool } from '../src/toolListing.js';

test('what a tool takes is described once, however many sessions have such a tool', () => {
  const input = z.object({ text: z.string() });
  const [one, other] = ['one', 'other'].map((name) =>
    listTool(defineTool({ name, description: 'A tool.', input, run: () => ({ content: [] }) })),
  );
  expect(one).toMatchObject({ name: 'one', inputSchema: { type: 'object', required: ['text'] } });
  expect(other?.inputSchema).toBe(one?.inputSchema);
});
