/**
 * The responses of the official registry's API, written from its public description (OpenAPI of 2025-12-01, `server.json` of 2025-12-11): an
 * independent reference for Lintel's responses.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/api/openapi.yaml
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const text = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const time = { type: 'string', format: 'date-time' };
const flag = { type: 'boolean' };
const listOf = (items: object) => ({ type: 'array', items });
const mapOf = (additionalProperties: object) => ({ type: 'object', additionalProperties });
const use = (name: string) => ({ $ref: `#/$defs/${name}` });
const object = (required: readonly string[], properties: object) => ({ type: 'object', required, properties });

const remote = (type: string) =>
  object(['type', 'url'], {
    type: { const: type },
    url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
    headers: listOf(use('KeyValueInput')),
  });

const $defs = {
  ServerList: object(['servers'], {
    servers: listOf(use('ServerResponse')),
    metadata: object([], { nextCursor: text, count: { type: 'integer' } }),
  }),
  ServerResponse: object(['server'], {
    server: use('ServerDetail'),
    _meta: object([], {
      'io.modelcontextprotocol.registry/official': {
        type: 'object',
        properties: {
          status: { enum: ['active', 'deprecated', 'deleted'] },
          statusMessage: { type: 'string', maxLength: 500 },
          statusChangedAt: time,
          publishedAt: time,
          updatedAt: time,
          isLatest: flag,
        },
        additionalProperties: false,
      },
    }),
  }),
  ServerDetail: object(['name', 'description', 'version'], {
    $schema: uri,
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255 },
    websiteUrl: uri,
    repository: object(['url', 'source'], { url: uri, source: text, id: text, subfolder: text }),
    icons: listOf(
      object(['src'], {
        src: { type: 'string', format: 'uri', maxLength: 255 },
        mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
        sizes: listOf({ type: 'string', pattern: '^(\\d+x\\d+|any)$' }),
        theme: { enum: ['light', 'dark'] },
      }),
    ),
    packages: listOf(
      object(['registryType', 'identifier', 'transport'], {
        registryType: text,
        registryBaseUrl: uri,
        identifier: text,
        version: { type: 'string', minLength: 1, not: { const: 'latest' } },
        fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
        runtimeHint: text,
        transport: {
          anyOf: [object(['type'], { type: { const: 'stdio' } }), remote('streamable-http'), remote('sse')],
        },
        runtimeArguments: listOf(use('Argument')),
        packageArguments: listOf(use('Argument')),
        environmentVariables: listOf(use('KeyValueInput')),
      }),
    ),
    remotes: listOf({
      anyOf: [remote('streamable-http'), remote('sse')],
      type: 'object',
      properties: { variables: mapOf(use('Input')) },
    }),
    _meta: object([], { 'io.modelcontextprotocol.registry/publisher-provided': { type: 'object' } }),
  }),
  Input: object([], {
    description: text,
    value: text,
    default: text,
    placeholder: text,
    isRequired: flag,
    isSecret: flag,
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    choices: listOf(text),
  }),
  InputWithVariables: { ...use('Input'), type: 'object', properties: { variables: mapOf(use('Input')) } },
  KeyValueInput: { ...use('InputWithVariables'), ...object(['name'], { name: text }) },
  Argument: {
    anyOf: [
      {
        ...use('InputWithVariables'),
        ...object(['type'], { type: { const: 'positional' }, valueHint: text, isRepeated: flag }),
        anyOf: [{ required: ['valueHint'] }, { required: ['value'] }],
      },
      {
        ...use('InputWithVariables'),
        ...object(['type', 'name'], { type: { const: 'named' }, name: text, isRepeated: flag }),
      },
    ],
  },
};

const ajv = new Ajv2020({ allErrors: true, strict: false });
formats.default(ajv);
const validators = {
  ServerList: ajv.compile({ $defs, ...use('ServerList') }),
  ServerResponse: ajv.compile({ $defs, ...use('ServerResponse') }),
};

/** The violations in a response, as `/place what`. */
export function officialErrors(type: keyof typeof validators, answer: unknown): readonly string[] {
  const validate = validators[type];
  validate(answer);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
