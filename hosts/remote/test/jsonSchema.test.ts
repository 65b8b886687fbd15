import { expect, it } from 'vitest';
import { editorProtocolSchema } from '../src/jsonSchema.js';

// `npx vitest run --project fast hosts/remote/test/jsonSchema.test.ts -u` updates the file.
it('has a JSON Schema in the package that is up to date [EDT-23]', async () => {
  const schema = `${JSON.stringify(editorProtocolSchema(), undefined, 2)}\n`;
  await expect(schema).toMatchFileSnapshot('../../standalone/editor-protocol.schema.json');
});
