/** The bundle of a large registry: it contains the entries, and callers need a token. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  computeDigest,
  formatCanonicalJson,
  REGISTRY_PATH,
  REGISTRY_ROUTES,
  type RegistryAuthPlan,
  type RegistryBundle,
  type RegistryRoutePlan,
  type TokenProviderPlan,
  VERSION,
} from '#schemas';
import { corpus } from './corpus.ts';

export const REGISTRY = 'all';
export const SERVERS_PATH = `${REGISTRY_PATH}/${REGISTRY}/v0.1/servers`;

const ENTRIES_PATH = 'entries/everything.ndjson';
const RESOURCE = 'https://registry.bench.example';

/** Writes the bundle of `servers` servers with three versions each; returns its file. */
export async function writeRegistry(
  folder: string,
  servers: number,
  providers: readonly TokenProviderPlan[],
): Promise<string> {
  const lines = [...corpus(servers)].map(({ publishedAt, server, status, updatedAt }) =>
    JSON.stringify({ publishedAt, server, status, updatedAt }),
  );
  const text = `${lines.join('\n')}\n`;
  await mkdir(join(folder, 'entries'), { recursive: true });
  await writeFile(join(folder, ENTRIES_PATH), text);
  const file = join(folder, 'bundle.json');
  const entries = { path: ENTRIES_PATH, digest: computeDigest(text), count: lines.length, origin: 'bench' };
  await writeFile(file, formatCanonicalJson(bundleOf(entries, providers)));
  return file;
}

function bundleOf(
  entries: Extract<RegistryBundle['sources'][number]['from'], { type: 'bundled' }>['entries'],
  providers: readonly TokenProviderPlan[],
): RegistryBundle {
  const nothing = { include: [], exclude: [] };
  const auth: RegistryAuthPlan = {
    mode: 'oauth',
    realm: 'bench',
    resourceMetadata: {
      url: `${RESOURCE}/.well-known/oauth-protected-resource`,
      paths: ['/.well-known/oauth-protected-resource'],
      document: {
        resource: RESOURCE,
        authorization_servers: providers.map(({ issuer }) => issuer),
        bearer_methods_supported: ['header'],
      },
    },
    providers,
  };
  const route = (path: string, registry: string | null): RegistryRoutePlan => ({
    method: 'GET',
    path,
    access: registry === null ? 'public' : 'caller',
    registry,
  });
  return {
    formatVersion: 1,
    kind: 'registry',
    namespace: 'default',
    name: 'bench',
    origin: { compilerVersion: VERSION, sourceRevision: null },
    requires: ['registry', 'registry-oauth', 'registry-source-bundled'],
    files: [],
    auth,
    authorization: { type: 'authenticated' },
    publicPaths: ['/.well-known', '/openapi.json'],
    routes: [
      route('/openapi.json', null),
      ...auth.resourceMetadata.paths.map(path => route(path, null)),
      ...REGISTRY_ROUTES.map(({ path }) => route(`${REGISTRY_PATH}/${REGISTRY}${path}`, REGISTRY)),
    ],
    sources: [
      {
        name: 'everything',
        from: { type: 'bundled', entries },
        intervalMs: null,
        filter: { names: nothing, tags: nothing },
        claims: null,
      },
    ],
    registries: [{ name: REGISTRY, sources: ['everything'], claims: null }],
    deployment: null,
  };
}
