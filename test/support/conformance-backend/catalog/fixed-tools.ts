/** The tools with a fixed result, in both servers. */
import { AUDIO, embedded, IMAGE, says, text } from './samples.ts';

export const NO_ARGUMENTS = { type: 'object' as const, properties: {} };

/** JSON Schema 2020-12 keywords that a server would lose if it parsed schemas into its own model. */
const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

export const FIXED_TOOLS = [
  {
    name: 'test_simple_text',
    description: 'Answers with text.',
    inputSchema: NO_ARGUMENTS,
    result: says('This is a simple text response for testing.'),
  },
  {
    name: 'test_image_content',
    description: 'Answers with an image.',
    inputSchema: NO_ARGUMENTS,
    result: { content: [IMAGE] },
  },
  {
    name: 'test_audio_content',
    description: 'Answers with a sound.',
    inputSchema: NO_ARGUMENTS,
    result: { content: [AUDIO] },
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers with a resource.',
    inputSchema: NO_ARGUMENTS,
    result: { content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')] },
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource.',
    inputSchema: NO_ARGUMENTS,
    result: {
      content: [
        text('Multiple content types test:'),
        IMAGE,
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    },
  },
  {
    name: 'test_error_handling',
    description: 'Fails.',
    inputSchema: NO_ARGUMENTS,
    result: { ...says('This tool intentionally returns an error for testing'), isError: true },
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with keywords of JSON Schema 2020-12.',
    inputSchema: SCHEMA_2020_12,
    result: says('The arguments fit the schema.'),
  },
];
