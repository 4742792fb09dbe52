import type { MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { parseDurationMs } from '../text/duration.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

type RateLimiting = NonNullable<MCPServerSpec['rateLimiting']>;
type Buckets = Pick<RateLimiting, 'shared' | 'perUser'>;

/**
 * A bucket refills at `maxTokens / refillPeriod`, so the period must be positive.
 *
 * @holds The rest of config | `rateLimiting` `refillPeriod` | above zero, here and in MCPServer | LNT1013
 */
export function rateLimits(resource: Resource): Diagnostic[] {
  const isServer = resource.kind === 'MCPServer';
  const limits = isServer ? (resource.spec as MCPServerSpec).rateLimiting : gatewaySpec(resource)?.config?.rateLimiting;
  if (limits === undefined) return [];
  const path = isServer ? ['spec', 'rateLimiting'] : ['spec', 'config', 'rateLimiting'];
  return [
    ...checkPeriods(resource, limits, path),
    ...(limits.tools ?? []).flatMap((tool, index) => checkPeriods(resource, tool, [...path, 'tools', index])),
  ];
}

const HELP = 'Write a duration above zero, such as 1m';

function checkPeriods(resource: Resource, buckets: Buckets, path: Path): Diagnostic[] {
  return (['shared', 'perUser'] as const).flatMap(name => {
    const period = buckets[name]?.refillPeriod;
    if (period === undefined || parseDurationMs(period) > 0) return [];
    const message = `expected a duration above zero, found "${period}"`;
    return [diagnose(resource.document, 'LNT1013', [...path, name, 'refillPeriod'], message, { help: HELP })];
  });
}
