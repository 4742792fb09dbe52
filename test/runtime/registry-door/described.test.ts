/** The published OpenAPI description is correct: the test calls each operation over HTTP until it has given every response in the description. */
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createOpenApiDocument, createRegistryApi } from '../../../runtime/registry/listing/index.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { validatorIn } from '../../support/json-schema.ts';
import { createTestSnapshot } from '../../support/registry-snapshot.ts';
import { entry } from '../registry-listing/harness.ts';
import {
  bearer,
  type OpenDoor,
  openDoor,
  type Reply,
  startTrustedProvider,
  type TrustedProvider,
} from './served-door.ts';

interface Described {
  readonly description?: string;
  readonly $ref?: string;
  readonly headers?: { readonly [name: string]: unknown };
  readonly content?: { readonly [type: string]: { readonly schema: object } };
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly responses: { readonly [status: string]: Described };
}

interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly responses: { readonly [name: string]: Described } };
}

const AWAY = 'https://localhost:1';
const CONFIG = (providers: string) => `registryName: company
sources: [{ name: ours, file: { path: /srv/a.json }, claims: { org: x } }, { name: theirs, file: { path: /srv/b.json } }]
registries: [{ name: main, sources: [ours], claims: { org: x } }, { name: open, sources: [theirs] }]
auth:
  oauth:
    resourceUrl: https://registry.example/catalog
    publicPaths: [/registry/open]
    providers:
${providers}
      - { name: away, issuerUrl: "${AWAY}", audience: x, allowPrivateIP: true }
  authz: { roles: { superAdmin: [{ groups: admins }] } }
`;

let corp: TrustedProvider;
let door: OpenDoor;
let document: Document;
let member: string;
let stranger: string;
let undecided: string;

beforeAll(async () => {
  corp = await startTrustedProvider();
  const bundle = getBundle(compileConfig(CONFIG(corp.yaml())));
  const entries = [entry('com.example/weather', '1.0.0'), entry('com.example/weather', '2.0.0')];
  const snapshots = new Map(['ours', 'theirs'].map(source => [source, createTestSnapshot(source, entries)]));
  const api = createRegistryApi(bundle.registries, () => snapshots);
  door = await openDoor(bundle, { api, openapi: createOpenApiDocument(bundle) });
  document = JSON.parse((await door.send('/openapi.json')).text);
  [member, stranger] = await Promise.all([corp.token({ claims: { org: 'x' } }), corp.token()]);
  const { privateKey } = await generateKeyPair('ES256');
  undecided = await new SignJWT({ iss: AWAY }).setProtectedHeader({ alg: 'ES256', kid: 'a' }).sign(privateKey);
});
afterAll(async () => {
  await door.close();
  await corp.close();
});

interface Way {
  readonly headers?: Record<string, string>;
  /** The end of the URL. */
  readonly query?: string;
  readonly serverName?: string;
  readonly version?: string;
}

/** How to get a response of an operation; `token` belongs to a caller that may see everything. */
const WAYS: { readonly [status: string]: (operation: Operation, token: Record<string, string>) => Way } = {
  200: (_operation, headers) => ({ headers }),
  304: (_operation, headers) => ({ headers: { ...headers, 'If-None-Match': '*' } }),
  400: (operation, headers) =>
    operation.operationId.startsWith('listServers') ? { headers, query: '?limit=0' } : { headers, serverName: '%00' },
  401: () => ({}),
  403: () => ({ headers: bearer(stranger) }),
  404: (_operation, headers) => ({ headers, serverName: 'com.example%2Fnone' }),
  406: (_operation, headers) => ({ headers: { ...headers, 'Accept-Encoding': 'identity;q=0' } }),
  414: (_operation, headers) => ({ headers, query: `?x=${'x'.repeat(9_000)}` }),
  503: () => ({ headers: bearer(undecided) }),
};

function ask(
  path: string,
  { headers, query = '', serverName = 'com.example%2Fweather', version = 'latest' }: Way,
): Promise<Reply> {
  const target = path.replace('{serverName}', serverName).replace('{version}', version);
  return door.send(`${target}${query}`, headers);
}

const resolved = (answer: Described): Described =>
  answer.$ref === undefined ? answer : (document.components.responses[answer.$ref.split('/').at(-1) ?? ''] ?? {});

/** How a response differs from its description. */
function differences(reply: Reply, answer: Described): string[] {
  const { headers = {}, content } = resolved(answer);
  const missing = Object.keys(headers).filter(name => reply.headers[name.toLowerCase()] === undefined);
  if (content === undefined) return reply.text === '' ? missing : [...missing, 'content that is not described'];
  const mediaType = reply.headers['content-type'] ?? '';
  const schema = content[mediaType]?.schema;
  if (schema === undefined) return [...missing, `content of type ${mediaType}`];
  const validate = validatorIn(document, schema);
  validate(mediaType.startsWith('text/') ? reply.text : parse(reply.text));
  return [...missing, ...(validate.errors ?? []).map(error => `${error.instancePath} ${error.message}`)];
}

test('each operation of the registry server can give every answer that the OpenAPI document lists for it, in the described form', async () => {
  const driven: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (status === 'default') continue;
        const token: Record<string, string> = operation.security.length === 0 ? {} : bearer(member);
        const reply = await ask(path, WAYS[status]?.(operation, token) ?? {});
        expect([method, path, reply.status]).toEqual(['get', path, Number(status)]);
        expect([path, status, differences(reply, answer)]).toEqual([path, status, []]);
        driven.push(`${status} ${path}`);
      }
    }
  }
  expect(driven).toHaveLength(108);
});

test('the registry server answers only GET and HEAD at paths of its OpenAPI document', async () => {
  for (const path of Object.keys(document.paths)) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const target = path.replace(/\{\w+\}/g, 'x');
      expect((await door.send(target, bearer(member), method)).status).toBe(405);
    }
  }
  for (const path of ['/openapi.json', '/openapi.yaml', '/browse'])
    expect((await door.send(path, {}, 'HEAD')).status, path).toBe(200);
});

test('the registry server answers 404 at paths that its OpenAPI document does not have', async () => {
  const routes = door.bundle.routes.map(({ path }) => path);
  expect(Object.keys(document.paths).toSorted()).toEqual(routes.toSorted());
  for (const path of ['/registry/main/v0.2/servers', '/registry/main/v0/publish', '/v0.1/servers', '/v1/registries']) {
    expect((await door.send(path, bearer(member))).status).toBe(404);
  }
});
