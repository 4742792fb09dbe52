/** Which paths a registry server answers: data for the compiler, which judges public paths by it, and for the runtime. */

/** Where the description of the API is. */
export const API_DOCUMENT_PATH = '/openapi.json';

/** Where the metadata of the protected resource are (RFC 9728); a path of the resource is added behind. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The parent of every registry; the next segment is its name. */
export const REGISTRY_PATH = '/registry';

/** Paths that need no token in any mode, with all that is below them. */
export const BUILT_IN_PUBLIC_PATHS: readonly string[] = ['/.well-known', API_DOCUMENT_PATH];

/** Below a registry, in the API of the official one. `{…}` stands for a segment. All are read only. */
export const REGISTRY_ROUTES: readonly string[] = [
  '/v0.1/servers',
  '/v0.1/servers/{serverName}/versions',
  '/v0.1/servers/{serverName}/versions/{version}',
];

/**
 * What other servers that read this configuration answer and ours does not: these change state, or show what no caller
 * without a role should see. A configuration must not open them, whichever server reads it.
 */
export const ADMIN_PATHS: readonly string[] = ['/v1'];

/** Answered at the internal address only. */
export const INTERNAL_PATHS: readonly string[] = ['/health', '/metrics', '/readiness', '/status', '/version'];
