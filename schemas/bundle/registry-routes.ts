/**
 * The paths that a registry server serves: as data, because the compiler checks public paths with this table and the runtime routes with
 * it.
 */

/** Path of the API description as JSON. */
export const API_DOCUMENT_PATH = '/openapi.json';

/** Path of the API description as YAML, where clients of the official registry look for it. */
export const API_DOCUMENT_YAML_PATH = '/openapi.yaml';

/** Path of a page for browsing entries, and of the files that the page loads. None of these files contains an entry. */
export const PAGE_PATH = '/browse';

/** The files that the page loads, by path. */
export const PAGE_PARTS = {
  html: PAGE_PATH,
  css: `${PAGE_PATH}/page.css`,
  js: `${PAGE_PATH}/page.js`,
} as const;

export type PagePart = keyof typeof PAGE_PARTS;

/** Path of the protected-resource metadata (RFC 9728); the path of a resource is appended. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Parent path of every registry; the next segment is the registry's name. */
export const REGISTRY_PATH = '/registry';

/** Paths that need no token in any mode, with all paths below them. */
export const BUILT_IN_PUBLIC_PATHS: readonly string[] = [
  '/.well-known',
  PAGE_PATH,
  API_DOCUMENT_PATH,
  API_DOCUMENT_YAML_PATH,
];

/** Read operations on a registry, by their names in the official API. */
export type RegistryOperationType = 'servers' | 'versions' | 'version';

/** Paths of an API version, below its segment. `{…}` stands for one segment. */
const OPERATION_PATHS: readonly (readonly [RegistryOperationType, string])[] = [
  ['servers', '/servers'],
  ['versions', '/servers/{serverName}/versions'],
  ['version', '/servers/{serverName}/versions/{version}'],
];

/**
 * Versions of the API. The official registry currently serves the same at both: `v0.1` is frozen, and `v0` gets additions first.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/api/CHANGELOG.md
 */
export type RegistryApiVersion = 'v0.1' | 'v0';

const API_VERSIONS: readonly RegistryApiVersion[] = ['v0.1', 'v0'];

export interface RegistryRoute {
  /** Path below that of a registry. */
  readonly path: string;
  readonly operation: RegistryOperationType;
  readonly version: RegistryApiVersion;
}

/** Routes below a registry, as in the official API. All are read-only. */
export const REGISTRY_ROUTES: readonly RegistryRoute[] = API_VERSIONS.flatMap(version =>
  OPERATION_PATHS.map(([operation, path]) => ({ path: `/${version}${path}`, operation, version })),
);

/**
 * Paths that other servers with this configuration format serve and ours does not: they change state, or show data for administrators. A
 * configuration must not make them public, whichever server reads it.
 */
export const ADMIN_PATHS: readonly string[] = ['/v1'];

/** Paths that the server serves only on the internal address. */
export const INTERNAL_PATHS: readonly string[] = ['/health', '/metrics', '/readiness', '/status', '/version'];
