import { listContactedUrls, listProviders, type RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

const CLUSTER_API = /^kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?$/;

const NEEDED = {
  jwksUrl: 'the request for discovery would carry no token',
  caCertPath: 'its certificate is signed by the cluster',
  authTokenFile: 'it gives its keys to known callers only',
} as const;

/**
 * A cluster's API as a token provider needs its own CA, and a token for fetching keys.
 *
 * @holds Registry server | `providers[]` at the cluster API | have explicit keys, a CA and a token | LNT8014
 */
export function incompleteClusterProvider(registry: RegistryDocument): Diagnostic[] {
  return listProviders(registry).flatMap(provider => {
    const { value, path } = provider;
    const isCluster = listContactedUrls(provider).some(url => CLUSTER_API.test(URL.parse(url.value)?.hostname ?? ''));
    if (!isCluster) return [];
    return (Object.keys(NEEDED) as (keyof typeof NEEDED)[])
      .filter(field => value[field] === undefined)
      .map(field => {
        const message = `${field} is missing for the API of the cluster: ${NEEDED[field]}`;
        return diagnose(registry.document, 'LNT8014', [...path, 'name'], message, { fix: `add ${field}` });
      });
  });
}
