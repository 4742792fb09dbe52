/** The `components` of the API description, to which its operations refer: parameters, headers, responses and schemas. */
import { type JsonObject, OFFICIAL_META, PUBLISHER_META } from '#schemas';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_SEARCH_LENGTH } from './query.ts';

const toRef = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });
export const toSchemaRef = (name: string): JsonObject => toRef('schemas', name);
export const toParameterRef = (name: string): JsonObject => toRef('parameters', name);
export const toResponseRef = (name: string): JsonObject => toRef('responses', name);

const toJsonContent = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const query = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name,
  in: 'query',
  description,
  schema,
});

const HEADERS_OF_ALL: JsonObject = {
  'Cache-Control': toRef('headers', 'CacheControl'),
  Vary: toRef('headers', 'Vary'),
};
const HEADERS_OF_CONTENT: JsonObject = { ETag: toRef('headers', 'ETag'), ...HEADERS_OF_ALL };

/** Describes an answer with the cache headers of this server. */
export function describeContent(description: string, schema: JsonObject, mediaType = 'application/json'): JsonObject {
  return { description, headers: HEADERS_OF_CONTENT, content: { [mediaType]: { schema } } };
}

/** Describes an answer without the cache headers of this server, such as an error. */
export function describePlainContent(description: string, schema: JsonObject): JsonObject {
  return { description, content: toJsonContent(schema) };
}

const describeFailure = (description: string, headers?: JsonObject): JsonObject => ({
  description,
  ...(headers !== undefined && { headers }),
  content: toJsonContent(toSchemaRef('Error')),
});

/** The characters that the registry's endpoint refuses, in a regular expression that every language supports. */
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const TEXT = { type: 'string', pattern: `^[^${CONTROL}]*$` };

export const PARAMETERS: JsonObject = {
  serverName: {
    name: 'serverName',
    in: 'path',
    required: true,
    description: 'Name of a server, percent-encoded: its slash is `%2F`.',
    schema: { type: 'string', minLength: 1, pattern: `^[^\\s${CONTROL}]+$` },
    example: 'com.example/weather',
  },
  version: {
    name: 'version',
    in: 'path',
    required: true,
    description: 'A version as it is listed, percent-encoded, or `latest`.',
    schema: { ...TEXT, minLength: 1 },
    example: 'latest',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An `ETag` of an earlier answer: if it is still current, the answer is 304.',
    schema: { type: 'string' },
  },
  cursor: query('cursor', 'Where the page begins: `nextCursor` of the previous page, unchanged.', {
    type: 'string',
    pattern: '^[A-Za-z0-9_-]*$',
  }),
  limit: query('limit', `Servers on a page; beyond ${MAX_LIMIT} it is ${MAX_LIMIT}.`, {
    type: 'integer',
    minimum: 1,
    default: DEFAULT_LIMIT,
  }),
  search: query('search', 'A part of the name, the title or the description, in upper or lower case.', {
    ...TEXT,
    maxLength: MAX_SEARCH_LENGTH,
  }),
  updatedSince: query(
    'updated_since',
    'Only versions that were updated later than this, and versions without a known time. Deleted versions are included.',
    { type: 'string', format: 'date-time' },
  ),
  versionFilter: query('version', 'Only this version of each server, or `latest`.', TEXT),
  includeDeleted: query('include_deleted', 'Whether deleted versions are shown.', { type: 'boolean', default: false }),
};

export const HEADERS: JsonObject = {
  ETag: {
    description: 'Strong for the plain answer, weak for the same in a content coding (RFC 9110, section 8.8.3).',
    schema: { type: 'string' },
  },
  CacheControl: {
    description: 'Answers may be cached, and must be validated before they are used.',
    schema: { type: 'string' },
  },
  Vary: { description: 'What the answer depends on.', schema: { type: 'string' } },
  WwwAuthenticate: {
    description: 'How to get a token: realm, error and the place of the resource metadata (RFC 6750, RFC 9728).',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'In seconds.', schema: { type: 'string' } },
};

export const RESPONSES: JsonObject = {
  notModified: { description: 'The client has the answer already.', headers: HEADERS_OF_CONTENT },
  badRequest: describeFailure('A parameter is not valid; the error names it.'),
  unauthorized: describeFailure('The token is missing or not accepted.', {
    'WWW-Authenticate': toRef('headers', 'WwwAuthenticate'),
  }),
  forbidden: describeFailure('The caller does not have the claims that the registry requires.'),
  notFound: describeFailure('The server or version does not exist, or the caller may not see it.'),
  notAcceptable: describeFailure('The client accepts no content coding that this server has.'),
  tooLong: describeFailure('The URL is too long.'),
  unavailable: describeFailure('The identity provider cannot be queried.', {
    'Retry-After': toRef('headers', 'RetryAfter'),
  }),
  unexpected: describeFailure('Anything else that keeps the server from answering.'),
};

export const SCHEMAS: JsonObject = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'string', description: 'What is wrong, for people.' } },
  },
  ServerList: {
    type: 'object',
    required: ['servers', 'metadata'],
    properties: {
      servers: { type: 'array', items: toSchemaRef('ServerResponse') },
      metadata: {
        type: 'object',
        required: ['count'],
        properties: {
          nextCursor: { type: 'string', description: 'For the next page; absent on the last one.' },
          count: { type: 'integer', minimum: 0, description: 'Servers on this page.' },
        },
      },
    },
  },
  ServerResponse: {
    type: 'object',
    required: ['server', '_meta'],
    properties: {
      server: toSchemaRef('ServerDetail'),
      _meta: {
        type: 'object',
        required: [OFFICIAL_META],
        properties: { [OFFICIAL_META]: toSchemaRef('ServerStatus') },
      },
    },
  },
  ServerStatus: {
    type: 'object',
    required: ['status', 'isLatest'],
    properties: {
      status: { type: 'string', enum: ['active', 'deprecated', 'deleted'] },
      statusMessage: { type: 'string', maxLength: 500, description: 'Why it has this status.' },
      statusChangedAt: { type: 'string', format: 'date-time', description: 'Absent if unknown.' },
      publishedAt: { type: 'string', format: 'date-time', description: 'Absent if unknown.' },
      updatedAt: { type: 'string', format: 'date-time', description: 'Absent if unknown.' },
      isLatest: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  ServerDetail: {
    type: 'object',
    description: 'A `server.json` as it was published. `$schema` says what its members hold.',
    required: ['name', 'description', 'version'],
    properties: {
      $schema: { type: 'string', format: 'uri' },
      name: { type: 'string' },
      title: { type: 'string' },
      description: { type: 'string' },
      version: { type: 'string' },
      websiteUrl: { type: 'string', format: 'uri' },
      repository: { type: 'object' },
      icons: { type: 'array', items: { type: 'object' } },
      packages: { type: 'array', items: { type: 'object' } },
      remotes: { type: 'array', items: { type: 'object' } },
      _meta: { type: 'object', properties: { [PUBLISHER_META]: { type: 'object' } } },
    },
  },
  ResourceMetadata: {
    type: 'object',
    description: 'Metadata of the protected resource (RFC 9728).',
    required: ['resource', 'authorization_servers', 'bearer_methods_supported'],
    properties: {
      resource: { type: 'string', format: 'uri' },
      authorization_servers: { type: 'array', items: { type: 'string', format: 'uri' } },
      bearer_methods_supported: { type: 'array', items: { type: 'string', enum: ['header'] } },
      scopes_supported: { type: 'array', items: { type: 'string' } },
      resource_documentation: { type: 'string', format: 'uri' },
    },
  },
};
