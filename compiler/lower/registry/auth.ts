import {
  API_DOCUMENT_PATH,
  BUILT_IN_PUBLIC_PATHS,
  compareText,
  RESOURCE_METADATA_PATH,
  type RegistryAuth,
  type RegistryAuthPlan,
} from '#schemas';
import { isCovered, normalPath } from '../../registry/public-path.ts';
import type { Tracked } from '../tracked.ts';
import { lowerProvider } from './provider.ts';

export interface LoweredAuth {
  readonly plan: RegistryAuthPlan;
  readonly publicPaths: readonly string[];
}

/** Who may call without a token, and whose tokens count. */
export function lowerAuth(auth: Tracked<RegistryAuth>): LoweredAuth {
  if (auth.get('mode') === 'anonymous') {
    auth.ignore('oauth', 'auth.mode is anonymous');
    return { plan: { mode: 'anonymous' }, publicPaths: ['/'] };
  }
  const oauth = auth.child('oauth');
  if (oauth === undefined) throw new Error('oauth without auth.oauth passed the rules');
  const resource = oauth.get('resourceUrl');
  const providers = oauth.items('providers').map(lowerProvider);
  const plan: RegistryAuthPlan = {
    mode: 'oauth',
    realm: oauth.get('realm') ?? 'mcp-registry',
    resourceMetadata: {
      ...metadataPlace(resource),
      document: {
        resource,
        authorization_servers: [...new Set(providers.map(({ issuer }) => issuer))],
        bearer_methods_supported: ['header'],
        resource_documentation: `${resource.replace(/\/$/, '')}${API_DOCUMENT_PATH}`,
      },
    },
    providers,
  };
  return { plan, publicPaths: publicPaths(oauth.get('publicPaths') ?? []) };
}

/** The path of the resource stands behind the well-known one (RFC 9728, 3.1); the plain path is served as well. */
function metadataPlace(resource: string): { readonly url: string; readonly paths: readonly string[] } {
  const { origin, pathname } = new URL(resource);
  const path = `${RESOURCE_METADATA_PATH}${pathname === '/' ? '' : pathname}`;
  return { url: `${origin}${path}`, paths: [...new Set([path, RESOURCE_METADATA_PATH])] };
}

function publicPaths(configured: readonly string[]): readonly string[] {
  const all = [...new Set([...BUILT_IN_PUBLIC_PATHS, ...configured.map(normalPath)])];
  return all.filter(path => !all.some(other => other !== path && isCovered(path, other))).sort(compareText);
}
