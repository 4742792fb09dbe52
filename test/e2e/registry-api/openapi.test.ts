/** The API description is correct: every operation in it is called, with every parameter, and nothing else is served. */
import { readFile } from 'node:fs/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { BundleIndex, RegistryBundle } from '#schemas';
import { introspecting, startTrustedProvider, type TrustedProvider } from '../../runtime/registry-door/served-door.ts';
import { type RegistryServer, server, sourceFile, startRegistry } from '../registry/registry-server.ts';

type JsonObject = { readonly [member: string]: unknown };

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonObject;
}

interface Answer {
  readonly headers?: JsonObject;
  readonly content?: { readonly [mediaType: string]: { readonly schema: JsonObject } };
}

interface Operation {
  readonly security: readonly unknown[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly responses: { readonly [status: string]: Answer | { readonly $ref: string } };
}

interface Description {
  readonly openapi: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
}

interface Call {
  readonly path: string;
  readonly operation: Operation;
}

let corp: TrustedProvider;
let registry: RegistryServer;
let description: Description;
let bundle: RegistryBundle;
let calls: readonly Call[];
let tokens: { readonly good: string; readonly poor: string };
let validates: (pointer: string) => ValidateFunction;

const ours = [server('com.example/a', '1.0.0'), server('com.example/a', '2.0.0+b/c d'), server('com.example/b')];

beforeAll(async () => {
  corp = await startTrustedProvider();
  registry = await startRegistry({
    'registry.yaml': `registryName: demo
sources:
  - { name: ours, file: { path: DIR/ours.json }, claims: { org: example } }
  - { name: open, file: { path: DIR/ours.json } }
registries:
  - { name: main, sources: [ours], claims: { org: example } }
  - { name: open.all, sources: [open] }
auth:
  oauth:
    resourceUrl: https://registry.example/tools
    publicPaths: [/registry/open.all]
    providers:
${corp.yaml(introspecting(corp))}
  authz: { roles: { superAdmin: [{ role: admin }] } }
`,
    'ours.json': sourceFile(ours),
  });
  description = (await (await fetch(`${registry.url}/openapi.json`)).json()) as Description;
  bundle = await servedBundle(registry);
  const [good, poor] = await Promise.all([corp.token({ claims: { org: 'example' } }), corp.token()]);
  tokens = { good, poor };
  calls = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.values(item).map(operation => ({ path, operation })),
  );
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(description as object, 'openapi.json');
  validates = pointer => {
    const validate = ajv.getSchema(`openapi.json#${pointer}`);
    if (validate === undefined) throw new Error(`no schema at ${pointer}`);
    return validate as ValidateFunction;
  };
});

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await corp.close();
});

async function servedBundle({ folder }: RegistryServer): Promise<RegistryBundle> {
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as BundleIndex;
  return JSON.parse(await readFile(folder.file(`out/${index.bundles[0]?.path}/bundle.json`), 'utf8')) as RegistryBundle;
}

/** A part of the description, and its place: a reference leads to another place. */
function resolved<T>(part: T | { readonly $ref: string }, at: string): { readonly value: T; readonly at: string } {
  const { $ref } = part as { readonly $ref?: string };
  if ($ref === undefined) return { value: part as T, at };
  const place = $ref.slice(1);
  const value = place
    .slice(1)
    .split('/')
    .reduce<unknown>((one, step) => (one as JsonObject)[step], description);
  return { value: value as T, at: place };
}

const escaped = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');

function parametersOf({ operation, path }: Call): readonly Parameter[] {
  return (operation.parameters ?? []).map(
    (one, index) => resolved(one, `/paths/${escaped(path)}/get/parameters/${index}`).value,
  );
}

/** Valid values for each parameter, by its schema; the first is used while another parameter is tested. */
const GOOD: { readonly [name: string]: readonly string[] } = {
  serverName: ['com.example/a', 'com.example/b'],
  version: ['latest', '1.0.0', '2.0.0+b/c d'],
  cursor: [],
  limit: ['1', '30', '5000'],
  search: ['example', 'COM.', '%_'],
  updated_since: ['2020-01-01T00:00:00Z', '2030-06-01T12:00:00.5+02:00'],
  include_deleted: ['true', 'false'],
  'If-None-Match': ['"none"', 'W/"x", "y"'],
};

/** Values that violate the schema, or for which nothing is listed. */
const BAD: { readonly [name: string]: readonly (readonly [value: string, status: number])[] } = {
  serverName: [
    ['com.example/none', 404],
    ['', 400],
  ],
  cursor: [['no cursor', 400]],
  limit: [
    ['0', 400],
    ['-1', 400],
    ['x', 400],
    ['1.5', 400],
  ],
  search: [['x'.repeat(10_000), 414]],
  updated_since: [['yesterday', 400]],
  include_deleted: [['perhaps', 400]],
};

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function send(call: Call, values: { readonly [name: string]: string }, token?: string): Promise<Sent> {
  const query = new URLSearchParams();
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
  let { path } = call;
  for (const { name, in: place, required } of parametersOf(call)) {
    const value = values[name] ?? (required === true ? GOOD[name]?.[0] : undefined);
    if (value === undefined) continue;
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.append(name, value);
    else headers.set(name, value);
  }
  const response = await fetch(`${registry.url}${path}${query.size === 0 ? '' : `?${query}`}`, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Expects that the description has a response for this status, with these headers, and that its schema accepts the content. */
function expectDescribed({ path, operation }: Call, { status, headers, body }: Sent): void {
  const where = `${path}: ${status} ${body.slice(0, 200)}`;
  const key = String(status) in operation.responses ? String(status) : 'default';
  // `default` describes failures.
  if (key === 'default') expect(status, where).toBeGreaterThanOrEqual(400);
  const described = operation.responses[key];
  if (described === undefined) throw new Error(`${where} is not described`);
  const { value, at } = resolved(described, `/paths/${escaped(path)}/get/responses/${key}`);
  for (const name of Object.keys(value.headers ?? {})) expect(headers.get(name), `${name} of ${where}`).not.toBeNull();
  if (value.content === undefined) {
    expect(body, where).toBe('');
    return;
  }
  const mediaType = headers.get('content-type') ?? '';
  expect(Object.keys(value.content), where).toEqual([mediaType]);
  const validate = validates(`${at}/content/${escaped(mediaType)}/schema`);
  validate(readAs(mediaType, body));
  expect(validate.errors ?? [], where).toEqual([]);
}

function readAs(mediaType: string, body: string): unknown {
  if (mediaType.startsWith('text/')) return body;
  return mediaType === 'application/yaml' ? parse(body) : JSON.parse(body);
}

const needsToken = ({ operation }: Call) => operation.security.length > 0;
const tokenFor = (call: Call) => (needsToken(call) ? tokens.good : undefined);

describe('the description', () => {
  test('the OpenAPI document of a registry server describes exactly the routes that it serves, all with GET', () => {
    expect(description.openapi).toMatch(/^3\.1\./);
    expect(Object.keys(description.paths).toSorted()).toEqual(bundle.routes.map(({ path }) => path).toSorted());
    expect([...new Set(Object.values(description.paths).flatMap(Object.keys))]).toEqual(['get']);
  });

  test('the test has valid values for every parameter in the OpenAPI document', () => {
    const ajv = new Ajv2020({ strict: false, coerceTypes: true });
    formats.default(ajv);
    for (const { name, schema } of calls.flatMap(parametersOf)) {
      expect(Object.keys(GOOD), name).toContain(name);
      for (const value of GOOD[name] ?? []) expect(ajv.validate(schema, value), `${name} ${value}`).toBe(true);
    }
  });
});

describe('every operation', () => {
  test('every operation of the registry API answers with the same bytes in v0 and v0.1', async () => {
    const ofV0 = calls.filter(({ path }) => path.includes('/v0/'));
    expect(ofV0).toHaveLength(6);
    for (const call of ofV0) {
      const stable = { ...call, path: call.path.replace('/v0/', '/v0.1/') };
      for (const values of [
        {},
        { limit: '1' },
        { include_deleted: 'true' },
        { limit: 'x' },
        { serverName: 'a.b/none' },
      ]) {
        const [one, other] = [await send(call, values, tokenFor(call)), await send(stable, values, tokenFor(stable))];
        expect([one.status, one.body, one.headers.get('etag')]).toEqual([
          other.status,
          other.body,
          other.headers.get('etag'),
        ]);
      }
    }
  });

  test('every operation of the registry API answers as its OpenAPI document says, with only required parameters', async () => {
    expect(calls.length).toBe(bundle.routes.length);
    for (const call of calls) {
      const sent = await send(call, {}, tokenFor(call));
      expect(sent.status, call.path).toBe(200);
      expectDescribed(call, sent);
    }
  });

  test('every operation of the registry API answers each value of each parameter as its OpenAPI document says', async () => {
    for (const call of calls) {
      for (const { name } of parametersOf(call)) {
        for (const value of [...(GOOD[name] ?? []), ...(name === 'cursor' ? [await secondPageOf(call)] : [])]) {
          const sent = await send(call, { [name]: value }, tokenFor(call));
          // A version belongs to one server only.
          const isOther = name === 'serverName' && call.path.endsWith('{version}') && sent.status === 404;
          expect(isOther ? 200 : sent.status, `${call.path} with ${name}=${value}`).toBe(200);
          expectDescribed(call, sent);
        }
        for (const [value, status] of BAD[name] ?? []) {
          const sent = await send(call, { [name]: value }, tokenFor(call));
          expect(sent.status, `${call.path} with ${name}=${value}: ${sent.body}`).toBe(status);
          expectDescribed(call, sent);
        }
      }
    }
  });

  test('every operation of the registry API answers a request with all parameters together as its OpenAPI document says', async () => {
    for (const call of calls) {
      const all = Object.fromEntries(
        parametersOf(call).flatMap(({ name }) => (GOOD[name] ?? []).slice(0, 1).map(one => [name, one])),
      );
      const sent = await send(call, all, tokenFor(call));
      expect(sent.status, call.path).toBe(200);
      expectDescribed(call, sent);
    }
  });

  test('every operation of the registry API answers 304 to a client that has the current ETag', async () => {
    for (const call of calls.filter(one => parametersOf(one).some(({ name }) => name === 'If-None-Match'))) {
      const first = await send(call, {}, tokenFor(call));
      const again = await send(call, { 'If-None-Match': first.headers.get('etag') ?? '' }, tokenFor(call));
      expect(again.status, call.path).toBe(304);
      expectDescribed(call, again);
    }
  });

  test('a registry server requires a token exactly for the operations whose OpenAPI description says so', async () => {
    expect(calls.some(needsToken) && !calls.every(needsToken)).toBe(true);
    for (const call of calls) {
      const without = await send(call, {});
      expect(without.status, call.path).toBe(needsToken(call) ? 401 : 200);
      expectDescribed(call, without);
      const poor = await send(call, {}, tokens.poor);
      expect(poor.status, call.path).toBe(needsToken(call) ? 403 : 200);
      expectDescribed(call, poor);
    }
  });

  test('a registry server answers 503 to a token that it cannot check while the provider is unavailable', async () => {
    const opaque = await corp.token({ format: 'opaque' });
    await corp.idp.goAway();
    try {
      for (const call of calls) {
        const sent = await send(call, {}, opaque);
        expect(sent.status, call.path).toBe(needsToken(call) ? 503 : 200);
        expectDescribed(call, sent);
      }
    } finally {
      await corp.idp.comeBack();
    }
  });
});

async function secondPageOf(call: Call): Promise<string> {
  return JSON.parse((await send(call, { limit: '1' }, tokenFor(call))).body).metadata.nextCursor;
}

describe('nothing else is served', () => {
  const UNDESCRIBED = [
    '/',
    '/docs',
    '/browse/',
    '/browse/x',
    '/openapi.yaml/',
    '/openapi.json/',
    '/health',
    '/readiness',
    '/version',
    '/metrics',
    '/status',
    '/v0/servers',
    '/v0.1/servers',
    '/v0.1/publish',
    '/v1/sources',
    '/v1/registries',
    '/v1/me',
    '/registry',
    '/registry/main',
    '/registry/main/v0.1',
    '/registry/main/v0.1/servers/',
    '/registry/main/v0.1/servers/com.example%2Fa',
    '/registry/main/v0.1/servers/com.example%2Fa/versions/1.0.0/status',
    '/registry/main/v0.1/x/dev.toolhive/skills',
    '/registry/main/v0',
    '/registry/main/v0/servers/com.example%2Fa',
    '/registry/main/v0.2/servers',
    '/registry/open.all',
    '/registry/ours/v0.1/servers',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource/other',
  ];

  test.each(UNDESCRIBED)(
    'a registry server answers 404 to the path %s, which its OpenAPI document does not describe',
    async path => {
      const headers = { authorization: `Bearer ${tokens.good}` };
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        expect((await fetch(`${registry.url}${path}`, { method, headers })).status, method).toBe(404);
      }
    },
  );

  test('a registry server answers 501 to a POST to /publish, and 404 to GET, HEAD and DELETE', async () => {
    const headers = { authorization: `Bearer ${tokens.good}` };
    for (const [method, status] of Object.entries({ GET: 404, HEAD: 404, POST: 501, DELETE: 404 })) {
      for (const version of ['v0.1', 'v0']) {
        const { status: answered } = await fetch(`${registry.url}/registry/main/${version}/publish`, {
          method,
          headers,
        });
        expect(answered, `${method} ${version}`).toBe(status);
      }
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'a registry server answers 405 to %s of a path that its OpenAPI document describes',
    async method => {
      for (const { path } of calls) {
        const target = path.replace('{serverName}', 'com.example%2Fa').replace('{version}', 'latest');
        const headers = { authorization: `Bearer ${tokens.good}` };
        expect((await fetch(`${registry.url}${target}`, { method, headers })).status, path).toBe(405);
      }
    },
  );
});
