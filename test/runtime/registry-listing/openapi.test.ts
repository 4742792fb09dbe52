import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OFFICIAL_META, type RegistryBundle } from '#schemas';
import type { DetailParameters, ListParameters, PreparedBody } from '../../../runtime/registry/api.ts';
import { listParameters, parseServerName, parseVersion } from '../../../runtime/registry/http/request-text.ts';
import { createOpenApiDocument } from '../../../runtime/registry/listing/index.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_SEARCH_LENGTH } from '../../../runtime/registry/listing/query.ts';
import { corpus } from '../../bench/registry/corpus.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { closed } from '../../support/json-schema.ts';
import { entry, Listing, refusal } from './harness.ts';

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly responses: { readonly [status: string]: { readonly $ref?: string } };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly [keyword: string]: unknown };
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string };
  readonly paths: { readonly [path: string]: { readonly get: Operation } };
  readonly components: {
    readonly parameters: { readonly [name: string]: Parameter };
    readonly securitySchemes?: { readonly [name: string]: unknown };
  };
}

const documentOf = (bundle: RegistryBundle) =>
  JSON.parse(createOpenApiDocument(bundle).json.bytes.toString()) as Document;

const SOURCES =
  'sources: [{ name: ours, file: { path: /srv/ours.json }, claims: { org: example } }, { name: theirs, file: { path: /srv/theirs.json } }]';

const bundles = {
  anonymous: getBundle(
    compileConfig(`${SOURCES}
registries: [{ name: all, sources: [ours, theirs] }]
auth: { mode: anonymous }
`),
  ),
  oauth: getBundle(
    compileConfig(`registryName: company
${SOURCES}
registries: [{ name: main, sources: [ours], claims: { org: example } }, { name: open.x, sources: [theirs] }]
auth:
  oauth:
    resourceUrl: https://registry.example/catalog
    publicPaths: [/registry/open.x]
    providers: [{ name: one, issuerUrl: "https://login.example", audience: a }]
  authz: { roles: { superAdmin: [{ groups: admins }] } }
`),
  ),
};

/** The possible responses of each operation, independent of the document. */
const ALWAYS = ['200', '304', '406', '414', 'default'];
const CALLER = ['401', '403', '503'];
const expectedStatuses = {
  anonymous: {
    '/browse': ALWAYS,
    '/browse/page.css': ALWAYS,
    '/browse/page.js': ALWAYS,
    '/openapi.json': ALWAYS,
    '/openapi.yaml': ALWAYS,
    '/registry/all/v0.1/servers': [...ALWAYS, '400'],
    '/registry/all/v0.1/servers/{serverName}/versions': [...ALWAYS, '400', '404'],
    '/registry/all/v0.1/servers/{serverName}/versions/{version}': [...ALWAYS, '400', '404'],
    '/registry/all/v0/servers': [...ALWAYS, '400'],
    '/registry/all/v0/servers/{serverName}/versions': [...ALWAYS, '400', '404'],
    '/registry/all/v0/servers/{serverName}/versions/{version}': [...ALWAYS, '400', '404'],
  },
  oauth: {
    '/browse': ALWAYS,
    '/browse/page.css': ALWAYS,
    '/browse/page.js': ALWAYS,
    '/openapi.json': ALWAYS,
    '/openapi.yaml': ALWAYS,
    '/.well-known/oauth-protected-resource/catalog': ['200', 'default'],
    '/.well-known/oauth-protected-resource': ['200', 'default'],
    '/registry/main/v0.1/servers': [...ALWAYS, ...CALLER, '400'],
    '/registry/main/v0.1/servers/{serverName}/versions': [...ALWAYS, ...CALLER, '400', '404'],
    '/registry/main/v0.1/servers/{serverName}/versions/{version}': [...ALWAYS, ...CALLER, '400', '404'],
    '/registry/main/v0/servers': [...ALWAYS, ...CALLER, '400'],
    '/registry/main/v0/servers/{serverName}/versions': [...ALWAYS, ...CALLER, '400', '404'],
    '/registry/main/v0/servers/{serverName}/versions/{version}': [...ALWAYS, ...CALLER, '400', '404'],
    '/registry/open.x/v0.1/servers': [...ALWAYS, '400'],
    '/registry/open.x/v0.1/servers/{serverName}/versions': [...ALWAYS, '400', '404'],
    '/registry/open.x/v0.1/servers/{serverName}/versions/{version}': [...ALWAYS, '400', '404'],
    '/registry/open.x/v0/servers': [...ALWAYS, '400'],
    '/registry/open.x/v0/servers/{serverName}/versions': [...ALWAYS, '400', '404'],
    '/registry/open.x/v0/servers/{serverName}/versions/{version}': [...ALWAYS, '400', '404'],
  },
};

describe.each(['anonymous', 'oauth'] as const)('the OpenAPI document of an %s bundle', mode => {
  const bundle = bundles[mode];
  const document = documentOf(bundle);
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }));

  test('the OpenAPI document has the routes of the bundle, each with all its possible answers', () => {
    const statuses = operations.map(({ path, responses }) => [path, Object.keys(responses).toSorted()]);
    const expected = Object.entries(expectedStatuses[mode]).map(([path, codes]) => [path, codes.toSorted()]);
    expect(statuses).toEqual(expected);
    expect(bundle.routes.map(({ path }) => path)).toEqual(operations.map(({ path }) => path));
  });

  test('the OpenAPI document requires a token for the routes for which the bundle requires one', () => {
    for (const { path, security } of operations) {
      const { access } = bundle.routes.find(route => route.path === path) ?? {};
      expect(security, path).toEqual(mode === 'oauth' && access === 'caller' ? [{ bearer: [] }] : []);
    }
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(mode === 'oauth' ? ['bearer'] : []);
  });

  test('the OpenAPI document has no missing reference, no unused component, and no two operations of the same name', () => {
    const text = JSON.stringify(document);
    const used = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, place]) => place));
    const there = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, parts]) => Object.keys(parts).map(name => `${kind}/${name}`));
    const needless = mode === 'oauth' ? [] : ['responses/unauthorized', 'responses/forbidden', 'responses/unavailable'];
    expect([...used].filter(place => place !== undefined && !there.includes(place))).toEqual([]);
    expect(
      there.filter(place => !used.has(place) && !needless.includes(place) && !place.startsWith('headers/')),
    ).toEqual(mode === 'oauth' ? [] : ['schemas/ResourceMetadata']);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the OpenAPI document has a path parameter for each {name} in a path, and no other path parameter', () => {
    for (const { path, parameters = [] } of operations) {
      const own = parameters.map(({ $ref }) => parameterAt(document, $ref)).filter(one => one.in === 'path');
      expect(own.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(own.every(({ required }) => required)).toBe(true);
    }
  });
});

test('the OpenAPI document cannot be created for an unknown route', () => {
  const route = { method: 'GET', path: '/registry/all/v0.1/tools', access: 'caller', registry: 'all' } as const;
  expect(() => createOpenApiDocument({ ...bundles.anonymous, routes: [route] })).toThrow(
    'GET /registry/all/v0.1/tools',
  );
});

test('the OpenAPI document of a bundle has the same entity tag each time it is created', () => {
  for (const format of ['json', 'yaml'] as const) {
    const { etag } = createOpenApiDocument(bundles.oauth)[format];
    expect(etag).toBe(createOpenApiDocument(bundles.oauth)[format].etag);
    expect(etag).not.toBe(createOpenApiDocument(bundles.anonymous)[format].etag);
  }
});

test.each(['anonymous', 'oauth'] as const)('the OpenAPI document of an %s bundle is the same in YAML', mode => {
  const { json, yaml } = createOpenApiDocument(bundles[mode]);
  expect(yaml.mediaType).toBe('application/yaml');
  expect(parse(yaml.bytes.toString())).toEqual(JSON.parse(json.bytes.toString()));
});

test('the OpenAPI document describes the operations of the API versions v0 and v0.1 alike', () => {
  const { paths } = documentOf(bundles.oauth);
  const ofV0 = Object.entries(paths).filter(([path]) => path.includes('/v0/'));
  expect(ofV0).toHaveLength(6);
  for (const [path, { get }] of ofV0) {
    const { operationId: _, ...described } = get;
    const { operationId: __, ...stable } = paths[path.replace('/v0/', '/v0.1/')]?.get ?? {};
    expect(described, path).toEqual(stable);
  }
});

describe('agreement of the OpenAPI document with the API', () => {
  const document = documentOf(bundles.anonymous);
  const listing = new Listing({
    one: [
      ...corpus(20),
      entry('a/plain', '1.0.0', { status: 'deprecated', updatedAt: '2026-01-01T00:00:00.000Z' }),
      entry('a/plain', '2.0.0', { status: 'deleted' }),
    ],
  });
  const { api, request } = listing;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  ajv.addSchema(closed(document) as object, 'api.json');
  const validator = (name: string) => ajv.getSchema(`api.json#/components/schemas/${name}`) as ValidateFunction;

  test('answers of the API have exactly the members of the OpenAPI document', () => {
    const check = (name: string, body: PreparedBody) => {
      const validate = validator(name);
      validate(JSON.parse(body.bytes.toString()));
      expect(validate.errors ?? []).toEqual([]);
    };
    for (const limit of ['3', '1000']) check('ServerList', api.servers(request, { limit, includeDeleted: 'true' }));
    check('ServerList', api.versions(request, 'a/plain', { includeDeleted: 'true' }));
    check('ServerResponse', api.version(request, 'a/plain', 'latest'));
    expect(validator('ServerResponse')({ server: {}, _meta: { [OFFICIAL_META]: {} } })).toBe(false);
  });

  const listed = Object.values(document.paths).find(({ get }) => get.operationId.startsWith('listServers'))?.get;
  const queries = (listed?.parameters ?? [])
    .map(({ $ref }) => parameterAt(document, $ref))
    .filter(one => one.in === 'query');

  test('a listing has the query parameters of the official API', () => {
    const names = ['cursor', 'limit', 'search', 'updated_since', 'version', 'include_deleted'];
    expect(queries.map(({ name }) => name)).toEqual(names);
    expect(queries.some(({ required }) => required)).toBe(false);
  });

  /** One value that the schema accepts and that has an effect, and one that it refuses. */
  const samples: { [name: string]: readonly [good: ListParameters, count: number, bad: ListParameters | undefined] } = {
    cursor: [{ cursor: Buffer.from('["z",""]').toString('base64url') }, 0, { cursor: 'x' }],
    limit: [{ limit: '2' }, 2, { limit: '0' }],
    search: [{ search: 'plain' }, 1, { search: 'x'.repeat(MAX_SEARCH_LENGTH + 1) }],
    updated_since: [{ updatedSince: '2030-01-01T00:00:00Z', search: 'plain' }, 1, { updatedSince: 'x' }],
    version: [{ version: '0.9.3' }, 20, undefined],
    include_deleted: [{ includeDeleted: 'true', search: 'plain' }, 2, { includeDeleted: 'x' }],
  };

  test.each(Object.entries(samples))(
    'the listing accepts and refuses values of the parameter %s as the OpenAPI document describes',
    (_, [good, count, bad]) => {
      expect(listing.list(good).metadata.count).toBe(count);
      if (bad !== undefined) expect(refusal(() => listing.list(bad)).status).toBe(400);
    },
  );

  test('the limits in the OpenAPI document are the limits of the API', () => {
    const of = (name: string) => queries.find(one => one.name === name)?.schema;
    expect(of('limit')).toEqual({ type: 'integer', minimum: 1, default: DEFAULT_LIMIT });
    expect(listing.list().metadata.count).toBe(DEFAULT_LIMIT);
    expect(listing.list({ limit: String(MAX_LIMIT + 1) }).metadata.count).toBe(61);
    expect(of('search')).toMatchObject({ type: 'string', maxLength: MAX_SEARCH_LENGTH });
    expect(listing.list({ search: 'x'.repeat(MAX_SEARCH_LENGTH) }).metadata.count).toBe(0);
  });

  test.each<[parameter: string, take: (text: string) => unknown]>([
    ['serverName', text => parseServerName(encodeURIComponent(text))],
    ['version', text => parseVersion(encodeURIComponent(text))],
    ['search', text => listParameters(`/?search=${encodeURIComponent(text)}`)],
    ['versionFilter', text => listParameters(`/?version=${encodeURIComponent(text)}`)],
  ])('the API accepts exactly the texts for %s that the OpenAPI document describes', (parameter, take) => {
    const { schema } = parameterAt(document, `#/components/parameters/${parameter}`);
    const isDescribed = new Ajv2020().compile(schema);
    for (const text of [
      '',
      'a',
      'a/b',
      'a b',
      '\t',
      '\u0000',
      '\u0007',
      '\u007f',
      '\u0085',
      '\u00a0',
      '\u2003',
      'é',
      '🎉',
    ]) {
      const isTaken = expect.soft(isDescribed(text), JSON.stringify(text));
      try {
        take(text);
        isTaken.toBe(true);
      } catch {
        isTaken.toBe(false);
      }
    }
  });

  test('the API accepts exactly the parameters for one server that the OpenAPI document describes', () => {
    const asked: DetailParameters = { includeDeleted: 'true' };
    expect(api.versions(request, 'a/plain', asked).bytes.toString()).toContain('"count":2');
    expect(api.versions(request, 'a/plain').bytes.toString()).toContain('"count":1');
    expect(refusal(() => api.version(request, 'a/plain', '2.0.0')).status).toBe(404);
  });
});

function parameterAt({ components }: Document, ref: string): Parameter {
  const parameter = components.parameters[ref.slice('#/components/parameters/'.length)];
  if (parameter === undefined) throw new Error(`${ref} is missing`);
  return parameter;
}
