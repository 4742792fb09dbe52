import {
  API_DOCUMENT_PATH,
  BUILT_IN_PUBLIC_PATHS,
  compareText,
  type RegistryAuth,
  type RegistryAuthPlan,
} from '#schemas';
import { isCovered, normalizePath } from '../../analysis/registry/public-path.ts';
import type { Tracked } from '../../resolve/tracked.ts';
import { computeResourceMetadata } from '../resource-metadata.ts';
import { lowerProvider } from './provider.ts';

export interface LoweredAuth {
  readonly plan: RegistryAuthPlan;
  readonly publicPaths: readonly string[];
}

/** Lowers authentication: public paths and accepted providers. */
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
      ...computeResourceMetadata(resource),
      document: {
        resource,
        authorization_servers: [...new Set(providers.map(({ issuer }) => issuer))],
        bearer_methods_supported: ['header'],
        resource_documentation: `${resource.replace(/\/$/, '')}${API_DOCUMENT_PATH}`,
      },
    },
    providers,
  };
  return { plan, publicPaths: listPublicPaths(oauth.get('publicPaths') ?? []) };
}

function listPublicPaths(configured: readonly string[]): readonly string[] {
  const all = [...new Set([...BUILT_IN_PUBLIC_PATHS, ...configured.map(normalizePath)])];
  return all.filter(path => !all.some(other => other !== path && isCovered(path, other))).sort(compareText);
}
