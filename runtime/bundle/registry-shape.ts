/** The shape of a bundle of a registry server. */
import { REGISTRY_AUDIT_EVENTS, type RegistryBundle, type RegistryOrigin } from '#schemas';
import { auditShape } from './audit-shape.ts';
import {
  count,
  findProblem,
  httpUrl,
  milliseconds,
  nullable,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  string,
  type ValueCheck,
  variants,
} from './checks.ts';
import { TELEMETRY } from './telemetry-shape.ts';
import { RESOURCE_METADATA, TOKEN_PROVIDER } from './token-auth-shape.ts';

const absolutePath: ValueCheck = value =>
  typeof value === 'string' && value.startsWith('/') ? undefined : 'is not an absolute path';

const sha256: ValueCheck = value =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value) ? undefined : 'is not a digest';

/** A path below the folder of the bundle: no other files may be read as entries. */
const entriesPath: ValueCheck = value =>
  typeof value === 'string' && value.split('/').every(segment => /^[\w.-]+$/.test(segment) && !/^\.+$/.test(segment))
    ? undefined
    : 'is not a path below the bundle';

const CLAIMS = record([string]);
const PATTERNS: Shape = { include: [string], exclude: [string] };

const HTTP_CREDENTIALS = optional(
  variants('type', { basic: { username: string, passwordFile: string }, bearer: { tokenFile: string } }),
);

const ORIGINS: Readonly<Record<RegistryOrigin['type'], Shape>> = {
  git: {
    repository: string,
    ref: variants('type', { default: {}, branch: { name: string }, tag: { name: string }, commit: { name: string } }),
    path: string,
    credentials: nullable({ username: string, passwordFile: string }),
  },
  api: { endpoint: httpUrl, timeoutMs: milliseconds, credentials: HTTP_CREDENTIALS },
  url: { url: httpUrl, timeoutMs: milliseconds, credentials: HTTP_CREDENTIALS },
  file: { path: string },
  bundled: { entries: { path: entriesPath, digest: sha256, count, origin: string } },
};

const REGISTRY: Shape = {
  namespace: string,
  name: string,
  origin: { compilerVersion: string, sourceRevision: nullable(string) },
  requires: [string],
  files: [{ path: string, use: oneOf('ca-certificates', 'client-secret', 'password', 'token') }],
  auth: variants('mode', {
    anonymous: {},
    oauth: { realm: string, resourceMetadata: RESOURCE_METADATA, providers: [TOKEN_PROVIDER] },
  }),
  authorization: variants('type', {
    none: {},
    authenticated: {},
    claims: {
      roles: { superAdmin: [CLAIMS], manageSources: [CLAIMS], manageRegistries: [CLAIMS], manageEntries: [CLAIMS] },
      ruleCount: count,
    },
  }),
  publicPaths: [absolutePath],
  routes: [{ method: oneOf('GET'), path: absolutePath, access: oneOf('public', 'caller'), registry: nullable(string) }],
  sources: [
    {
      name: string,
      from: variants('type', ORIGINS),
      intervalMs: nullable(milliseconds),
      filter: { names: PATTERNS, tags: PATTERNS },
      claims: nullable(CLAIMS),
    },
  ],
  registries: [{ name: string, sources: [string], claims: nullable(CLAIMS) }],
  audit: optional(auditShape(REGISTRY_AUDIT_EVENTS)),
  telemetry: optional(TELEMETRY),
  deployment: nullable(object),
};

/** Why the shape of a registry server's bundle is invalid, or undefined. */
export function findRegistryProblem(bundle: unknown): string | undefined {
  return findProblem(bundle, REGISTRY, '') ?? findProblemBetweenParts(bundle as RegistryBundle);
}

/** Checks that involve several members. A missing part of a bundle must never widen access. */
function findProblemBetweenParts({
  auth,
  authorization,
  routes,
  sources,
  registries,
}: RegistryBundle): string | undefined {
  if (auth.mode === 'oauth' && auth.providers.length === 0) return '"auth.providers" is empty';
  if (auth.mode === 'anonymous' && authorization.type !== 'none')
    return '"authorization" distinguishes callers, but "auth" identifies no caller';
  if (auth.mode === 'oauth' && authorization.type === 'none')
    return '"auth" requires a token, but "authorization" does not use it';
  if (authorization.type === 'claims') {
    const rules = Object.values(authorization.roles).flat().length;
    if (rules !== authorization.ruleCount)
      return `"authorization.roles" has ${rules} rules, and "authorization.ruleCount" is ${authorization.ruleCount}`;
  }
  const known = new Set(sources.map(({ name }) => name));
  const shown = new Set(registries.map(({ name }) => name));
  return (
    findNamesProblem('sources', sources) ??
    findNamesProblem('registries', registries) ??
    registries.flatMap(({ sources: names }, index) =>
      names.flatMap(name =>
        known.has(name) ? [] : [`"registries[${index}]" shows a source "${name}" that does not exist`],
      ),
    )[0] ??
    routes.flatMap(({ registry }, index) =>
      registry === null || shown.has(registry)
        ? []
        : [`"routes[${index}]" shows a registry "${registry}" that does not exist`],
    )[0]
  );
}

function findNamesProblem(list: string, items: readonly { readonly name: string }[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of items) {
    if (names.has(name)) return `"${list}" has two items with the name "${name}"`;
    names.add(name);
  }
  return undefined;
}
