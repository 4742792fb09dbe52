/** The NetworkPolicy permits connections to every URL or `host:port` in a bundle. So no new part of a bundle can be forgotten. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Compilation, compile, findFiles, readSources, readTexts, type Sources, SourceText } from '#compiler';
import type { GatewayBundle, RegistryBundle } from '#schemas';
import { listDestinations, resolveEgress } from '../../../compiler/emit/manifests/index.ts';
import { exampleSources, SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { createCatalog } from '../../support/gateway-rule.ts';
import { compileSpec, leaves, specWith } from '../every-field/gateway-specs.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';
import { compileConfig } from '../registry/compiling.ts';
import { leaves as configLeaves, configWith } from '../registry/every-field-configs.ts';

type Bundle = GatewayBundle | RegistryBundle;

/** The members of bundles to whose addresses pods connect, by path, with `*` for an index. */
const CALLED: readonly string[] = [
  'gateway/authServer/storage/redis/addresses/*',
  'gateway/authServer/trustedIssuers/*/keys/url',
  'gateway/authServer/upstreams/*/issuer',
  'gateway/authServer/upstreams/*/registration/endpoint',
  'gateway/authServer/upstreams/*/tokenEndpoint',
  'gateway/authServer/upstreams/*/userInfo/url',
  'gateway/backends/*/auth/idp/tokenUrl',
  'gateway/backends/*/auth/stsUrl',
  'gateway/backends/*/auth/target/tokenUrl',
  'gateway/backends/*/auth/tokenUrl',
  'gateway/backends/*/url',
  'gateway/incomingAuth/providers/*/introspection/url',
  'gateway/incomingAuth/providers/*/issuer',
  'gateway/incomingAuth/providers/*/keys/url',
  'gateway/optimizer/embeddings/url',
  'gateway/rateLimiting/store/redis/addresses/*',
  'gateway/sessionStorage/redis/addresses/*',
  'gateway/telemetry/otlp/endpoint',
  'registry/auth/providers/*/introspection/url',
  'registry/auth/providers/*/issuer',
  'registry/auth/providers/*/keys/url',
  'registry/sources/*/from/endpoint',
  'registry/sources/*/from/repository',
  'registry/sources/*/from/url',
  'registry/telemetry/otlp/endpoint',
];

/** Members to which pods never connect: names that look like URLs, and URLs that are only published to clients. */
const NEVER_CALLED: readonly string[] = [
  'gateway/authServer/audience',
  'gateway/authServer/browserBase',
  'gateway/authServer/delegateClients/*/audiences/*',
  'gateway/authServer/issuer',
  'gateway/authServer/registration/secretRedirectUris/*',
  'gateway/authServer/resource',
  'gateway/authServer/trustedIssuers/*/assertions/audiences/*',
  'gateway/authServer/trustedIssuers/*/assertions/subjects/*/resources/*',
  'gateway/authServer/trustedIssuers/*/exchange/audience',
  'gateway/authServer/trustedIssuers/*/issuer',
  'gateway/authServer/upstreams/*/authorizationEndpoint',
  'gateway/authServer/upstreams/*/redirectUri',
  'gateway/authorization/groupClaims/*',
  'gateway/backends/*/auth/target/audience',
  'gateway/backends/*/metadata/remote_url',
  'gateway/incomingAuth/providers/*/audience',
  'gateway/incomingAuth/realm',
  'gateway/incomingAuth/resourceMetadata/document/authorization_servers/*',
  'gateway/incomingAuth/resourceMetadata/document/resource',
  'gateway/incomingAuth/resourceMetadata/url',
  'registry/auth/providers/*/audience',
  'registry/auth/resourceMetadata/document/authorization_servers/*',
  'registry/auth/resourceMetadata/document/resource',
  'registry/auth/resourceMetadata/document/resource_documentation',
  'registry/auth/resourceMetadata/url',
];

const ROOT = join(import.meta.dirname, '../../..');

function* allBundles(): Generator<readonly [origin: string, bundle: Bundle]> {
  for (const [origin, compiled] of compilations()) {
    for (const { bundle } of [...compiled.gateways, ...compiled.registries])
      if (bundle !== null) yield [origin, bundle];
  }
}

function* compilations(): Generator<readonly [origin: string, compiled: Compilation]> {
  for (const folder of specFolders()) {
    const { files } = findFiles([folder], { cwd: ROOT });
    yield [
      folder,
      compiledFrom(
        readSources(files, () => new Uint8Array()),
        folder,
      ),
    ];
  }
  for (const { title, file, text } of BASE_SPECS) yield [title, compiledFrom(readTexts([new SourceText(file, text)]))];
  for (const { code, text } of SPEC_EXAMPLES) yield [code, compiledFrom(readTexts(exampleSources(text)))];
  for (const { path } of leaves) yield [path.join('.'), compileSpec(specWith(path))];
  for (const { path } of configLeaves) yield [path.join('.'), compileConfig(stringify(configWith(path)))];
}

function specFolders(): readonly string[] {
  const among = (parent: string, child: string) =>
    readdirSync(join(ROOT, parent)).map(name => join(parent, name, child));
  const cases = ['test/compiler/goldens/cases', 'test/compiler/manifests/goldens/cases'];
  return [...among('examples', ''), ...cases.flatMap(parent => among(parent, 'input'))];
}

function compiledFrom(sources: Sources, folder?: string): Compilation {
  const lock = folder === undefined ? undefined : join(ROOT, folder, '../catalog.json');
  const catalog =
    lock !== undefined && existsSync(lock) ? createCatalog(JSON.parse(readFileSync(lock, 'utf8'))) : undefined;
  return compile(sources, { purpose: 'check', origin: { compilerVersion: '0.0.0', sourceRevision: null }, catalog });
}

/** The address format of Redis servers. */
const HOST_PORT = /^(?:\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9._-]*):\d{1,5}$/i;

interface FoundUrl {
  readonly place: string;
  readonly url: string;
}

/**
 * Replaces each URL in the bundle with a unique address, so that the permission for one does not cover another, and returns these addresses. File URLs
 * are left out, because they need no connection.
 */
function withOwnAddresses(bundle: Bundle): { readonly bundle: Bundle; readonly found: readonly FoundUrl[] } {
  const found: FoundUrl[] = [];
  const walk = (value: unknown, place: string): unknown => {
    const isUrl = typeof value === 'string' && /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(value);
    if (isUrl || (typeof value === 'string' && HOST_PORT.test(value))) {
      const number = found.length + 1;
      const host = `192.0.${number >> 8}.${number & 255}:${9000 + number}`;
      found.push({ place, url: `https://${host}/` });
      return isUrl ? `https://${host}/` : host;
    }
    if (Array.isArray(value)) return value.map(item => walk(item, `${place}/*`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, `${place}/${name}`)]));
  };
  return { bundle: walk(bundle, bundle.kind) as Bundle, found };
}

test('the network policy allows each URL of a bundle, or this test lists the URL as never called', () => {
  const reached = new Set<string>();
  const others = new Map<string, string>();
  for (const [origin, original] of allBundles()) {
    const { bundle, found } = withOwnAddresses(original);
    const egress = listDestinations(bundle).flatMap(destination => resolveEgress(destination, 'own') ?? []);
    const allowed = new Set(egress.flatMap(({ to, ports }) => to.map(peer => JSON.stringify([peer, ports]))));
    for (const { place, url } of found) {
      const { hostname, port } = new URL(url);
      const peer = { ipBlock: { cidr: `${hostname}/32` } };
      // Sentinels report a primary on another port.
      const rules = [[Number(port)], null].map(ports => JSON.stringify([peer, ports]));
      if (rules.some(rule => allowed.has(rule))) reached.add(place);
      else others.set(place, origin);
    }
  }
  const forgotten = [...others].filter(([place]) => !NEVER_CALLED.includes(place));
  expect(forgotten, 'a line in destinations.ts and CALLED, or one in NEVER_CALLED').toEqual([]);
  expect([...others.keys()].sort()).toEqual(NEVER_CALLED);
  expect([...reached].sort()).toEqual(CALLED);
});
