import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RegistryEntry } from '#schemas';
import { createOpenApiDocument, createRegistryApi } from '../../../runtime/registry/listing/index.ts';
import { corpus } from '../../bench/registry/corpus.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { validatorIn } from '../../support/json-schema.ts';
import { createTestSnapshot } from '../../support/registry-snapshot.ts';
import {
  bearer,
  type Reply,
  type ServedDoor,
  startDoor,
  startTrustedProvider,
  type TrustedProvider,
} from '../registry-door/served-door.ts';
import { officialErrors } from './official-api.ts';

/** An operation as the served document describes it. */
interface Operation {
  readonly security: readonly object[];
  readonly responses: { readonly [status: string]: Response };
}

interface Response {
  readonly headers?: { readonly [name: string]: unknown };
  readonly content?: { readonly [mediaType: string]: { readonly schema: object } };
  readonly $ref?: string;
}

interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly responses: { readonly [name: string]: Response } };
}

const CONFIG = (provider: string) => `
sources:
  - { name: ours, file: { path: /srv/ours.json }, claims: { org: example } }
  - { name: theirs, file: { path: /srv/theirs.json } }
registries: [{ name: main, sources: [ours], claims: { org: example } }, { name: open, sources: [theirs] }]
auth:
  oauth:
    resourceUrl: https://registry.example
    publicPaths: [/registry/open]
    providers:
${provider}
  authz: { roles: { superAdmin: [{ groups: admins }] } }
`;

const SERVERS = [...corpus(40)];
const [{ server: SAMPLE }] = SERVERS as [(typeof SERVERS)[number]];

let provider: TrustedProvider;
let insider: Record<string, string>;
let outsider: Record<string, string>;

beforeAll(async () => {
  provider = await startTrustedProvider();
  insider = bearer(await provider.token({ claims: { org: 'example' } }));
  outsider = bearer(await provider.token({ claims: { org: 'other' } }));
});
afterAll(() => provider.close());

async function start(entries: readonly RegistryEntry[] = SERVERS): Promise<{ door: ServedDoor; document: Document }> {
  const bundle = getBundle(compileConfig(CONFIG(provider.yaml())));
  const snapshots = new Map(['ours', 'theirs'].map(source => [source, createTestSnapshot(source, entries)]));
  const api = createRegistryApi(bundle.registries, () => snapshots);
  const door = await startDoor(bundle, { api, openapi: createOpenApiDocument(bundle) });
  return { door, document: JSON.parse((await door.send('/openapi.json')).text) as Document };
}

const filled = (path: string, serverName = SAMPLE.name, version = 'latest') =>
  path.replace('{serverName}', encodeURIComponent(serverName)).replace('{version}', encodeURIComponent(version));

/** Compares a response with the description of its status. */
function check(document: Document, operation: Operation, { status, headers, text }: Reply): void {
  const named = operation.responses[status];
  const response =
    named?.$ref === undefined ? named : document.components.responses[named.$ref.split('/').at(-1) ?? ''];
  if (response === undefined) throw new Error(`${status} is not described: ${text}`);
  for (const name of Object.keys(response.headers ?? {})) expect(headers, name).toHaveProperty(name.toLowerCase());
  if (response.content === undefined) {
    expect(text).toBe('');
    return;
  }
  const mediaType = headers['content-type'] ?? '';
  expect(Object.keys(response.content)).toEqual([mediaType]);
  const { schema = {} } = response.content[mediaType] ?? {};
  const validate = validatorIn(document, schema);
  // A page, its style and its script are texts.
  validate(/json|yaml/.test(mediaType) ? parse(text) : text);
  expect(validate.errors ?? []).toEqual([]);
}

describe('every operation of the served document', () => {
  test('the registry server answers every operation of its served OpenAPI document as described', async () => {
    const { door, document } = await start();
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations).toHaveLength(door.bundle.routes.length);
    for (const { path, method, operation } of operations) {
      const token = operation.security.length === 0 ? {} : insider;
      const ask = async (url: string, headers: Record<string, string> = {}) => {
        const reply = await door.send(url, { ...token, ...headers }, method.toUpperCase());
        check(document, operation, reply);
        return reply;
      };
      const good = await ask(filled(path));
      expect(good.status, path).toBe(200);
      const seen = new Set([200]);
      const tries: [url: string, headers: Record<string, string>][] = [
        [filled(path), { 'If-None-Match': good.headers.etag ?? 'none' }],
        [filled(path), { 'Accept-Encoding': '*;q=0' }],
        [`${filled(path)}?limit=0`, {}],
        [path.replace('{serverName}', '%zz').replace('{version}', '1'), {}],
        [filled(path, 'com.example/missing'), {}],
        [filled(path, SAMPLE.name, '9.9.9'), {}],
        [`${filled(path)}?x=${'x'.repeat(8_192)}`, {}],
        [filled(path), { Authorization: 'Bearer forged' }],
        [filled(path), outsider],
      ];
      for (const [url, headers] of tries) seen.add((await ask(url, headers)).status);
      // Every described response occurs; a failing identity provider is tested elsewhere.
      const described = Object.keys(operation.responses).filter(status => !['default', '503'].includes(status));
      expect([...seen].map(String).toSorted(), path).toEqual(described.toSorted());
    }
  });

  test('every operation of the served OpenAPI document requires a token exactly if the document says so', async () => {
    const { door, document } = await start();
    for (const [path, { get }] of Object.entries(document.paths)) {
      const { status } = await door.send(filled(path));
      expect(status, path).toBe(get?.security.length === 0 ? 200 : 401);
    }
  });
});

test('a client of the official API can page through 10,000 servers', async () => {
  const entries = [...corpus(10_000)];
  const { door } = await start(entries);
  const found: string[] = [];
  let query = 'limit=100&version=latest';
  for (;;) {
    const { text } = await door.send(`/registry/main/v0.1/servers?${query}`, insider);
    const answer = JSON.parse(text) as { servers: RegistryEntry[]; metadata: { count: number; nextCursor?: string } };
    if (found.length % 1_000 === 0) expect(officialErrors('ServerList', answer)).toEqual([]);
    expect(answer.servers).toHaveLength(answer.metadata.count);
    found.push(...answer.servers.map(({ server }) => server.name));
    if (answer.metadata.nextCursor === undefined) break;
    query = new URLSearchParams({ limit: '100', version: 'latest', cursor: answer.metadata.nextCursor }).toString();
  }
  expect(found).toEqual([...new Set(entries.map(({ server }) => server.name))]);
});
