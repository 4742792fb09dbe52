import { listProviders, type RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** The audiences of tokens for a cluster's own API. */
const CLUSTER_API = /^(?:https:\/\/)?kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?(?::443)?\/?$/;

/**
 * Every pod has a token for its cluster's API, so that audience does not distinguish callers.
 *
 * @holds Registry server | `providers[].audience` | not that of the cluster API | LNT8008
 */
export function audienceOfTheCluster(registry: RegistryDocument): Diagnostic[] {
  return listProviders(registry)
    .filter(({ value }) => CLUSTER_API.test(value.audience))
    .map(({ path }) =>
      diagnose(
        registry.document,
        'LNT8008',
        [...path, 'audience'],
        'the audience is the one of the cluster API, for which every pod has a token',
      ),
    );
}
