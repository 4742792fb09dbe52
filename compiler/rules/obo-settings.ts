import type { MCPExternalAuthConfigSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

/**
 * An on-behalf-of token needs a tenant that issues it, and must be renewed before it expires.
 *
 * @holds outgoingAuth and config.outgoingAuth | `obo.cacheSkewSeconds` | not negative | LNT1013
 * @holds Other kinds | MCPExternalAuthConfig, `obo.tenantId` | required, because a gateway sends requests to the tenant | LNT1010
 */
export function oboSettings(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPExternalAuthConfig') {
    const { type, obo } = resource.spec as MCPExternalAuthConfigSpec;
    if (type !== 'obo' || (obo?.tenantId ?? '') !== '') return [];
    const message = 'obo needs tenantId: the token endpoint belongs to a tenant';
    return [diagnose(resource.document, 'LNT1010', ['spec', 'obo'], message, { at: 'key' })];
  }
  return listStrategies(resource).flatMap(({ strategy: { type, obo }, path }) => {
    const seconds = obo?.cacheSkewSeconds ?? 0;
    if (type !== 'obo' || seconds >= 0) return [];
    const message = `expected 0 seconds or more, found ${seconds}`;
    return [
      diagnose(resource.document, 'LNT1013', [...path, 'obo', 'cacheSkewSeconds'], message, {
        help: 'Write 0 seconds or more, such as 30',
      }),
    ];
  });
}
