/** Which paths a registry server answers: data for the compiler, which judges public paths by it, and for the runtime. */

/** Where the description of the API is, as JSON. */
export const API_DOCUMENT_PATH = '/openapi.json';

/** The same as YAML, where clients of the official registry look for it. */
export const API_DOCUMENT_YAML_PATH = '/openapi.yaml';

/** Where people browse what is listed: a page, and below it what the page loads. None of them holds an entry. */
export const PAGE_PATH = '/browse';

/** What there is to load of the page, with its path. */
export const PAGE_PARTS = {
  html: PAGE_PATH,
  css: `${PAGE_PATH}/page.css`,
  js: `${PAGE_PATH}/page.js`,
} as const;

export type PagePart = keyof typeof PAGE_PARTS;

/** Where the metadata of the protected resource are (RFC 9728); a path of the resource is added behind. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The parent of every registry; the next segment is its name. */
export const REGISTRY_PATH = '/registry';

/** Paths that need no token in any mode, with all that is below them. */
export const BUILT_IN_PUBLIC_PATHS: readonly string[] = [
  '/.well-known',
  PAGE_PATH,
  API_DOCUMENT_PATH,
  API_DOCUMENT_YAML_PATH,
];

/** What can be read of a registry, in the words of the official API. */
export type RegistryOperationType = 'servers' | 'versions' | 'version';

/** The paths of a version of the API, below its segment. `{…}` stands for a segment. */
const OPERATION_PATHS: readonly (readonly [RegistryOperationType, string])[] = [
  ['servers', '/servers'],
  ['versions', '/servers/{serverName}/versions'],
  ['version', '/servers/{serverName}/versions/{version}'],
];

/**
 * Versions of the API. The official registry answers the same at both: `v0.1` is the one that stays as it is, and `v0` is where
 * additions come first.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/api/CHANGELOG.md
 */
export type RegistryApiVersion = 'v0.1' | 'v0';

const API_VERSIONS: readonly RegistryApiVersion[] = ['v0.1', 'v0'];

export interface RegistryRoute {
  /** Below the path of a registry. */
  readonly path: string;
  readonly operation: RegistryOperationType;
  readonly version: RegistryApiVersion;
}

/** Below a registry, in the API of the official one. All are read only. */
export const REGISTRY_ROUTES: readonly RegistryRoute[] = API_VERSIONS.flatMap(version =>
  OPERATION_PATHS.map(([operation, path]) => ({ path: `/${version}${path}`, operation, version })),
);

/**
 * What other servers that read this configuration answer and ours does not: these change state, or show what no caller
 * without a role should see. A configuration must not open them, whichever server reads it.
 */
export const ADMIN_PATHS: readonly string[] = ['/v1'];

/** Answered at the internal address only. */
export const INTERNAL_PATHS: readonly string[] = ['/health', '/metrics', '/readiness', '/status', '/version'];
