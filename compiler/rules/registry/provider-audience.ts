import { listProviders, type RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** The audiences of tokens for the API of a cluster itself. */
const CLUSTER_API = /^(?:https:\/\/)?kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?(?::443)?\/?$/;

/** Every pod has a token for the API of its cluster, so that audience distinguishes no callers. */
export function providerAudience(registry: RegistryDocument): Diagnostic[] {
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
