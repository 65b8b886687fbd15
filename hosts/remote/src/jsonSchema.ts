import { question } from '@tandem/rpc/schemas';
import * as z from 'zod';
import {
  editorCalls,
  initializeParams,
  initializeResult,
  protocolVersion,
  tandemCalls,
  tandemNotifications,
} from './protocol.js';

type Calls = Readonly<Record<string, { readonly params: z.ZodType; readonly result: z.ZodType }>>;

/** The editor protocol as JSON Schema: for each method its parameters and its result. */
export function editorProtocolSchema() {
  const calls = (all: Calls) =>
    Object.fromEntries(
      Object.entries(all).map(([method, { params, result }]) => [
        method,
        { params: schemaOf(params), result: schemaOf(result) },
      ]),
    );
  const notifications = Object.entries(tandemNotifications).map(([method, params]) => [
    method,
    { params: schemaOf(params) },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Tandem's editor protocol, version ${protocolVersion}`,
    fromEditor: calls({ initialize: { params: initializeParams, result: initializeResult }, ...editorCalls }),
    fromTandem: calls(tandemCalls),
    notificationsFromTandem: Object.fromEntries(notifications),
    /** `data` of an error. */
    errorData: schemaOf(z.object({ code: z.string(), question: question.optional() })),
  };
}

/** Unknown members are allowed. What is read-only in our code is not so in JSON. */
function schemaOf(type: z.ZodType) {
  const { $schema, ...schema } = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
  });
  return schema;
}
