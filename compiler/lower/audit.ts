import type { AuditPlan, GatewayConfig } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';

type AuditConfig = NonNullable<GatewayConfig['audit']>;

/** The schema's defaults, for a block that was not parsed with the schema. */
const DEFAULTS = { maxDataSize: 1024, maxDelegationDepth: 10 };

/** The audit plan; undefined if `enabled` is not true. */
export function lowerAudit(gateway: Resource, audit: Tracked<AuditConfig> | undefined): AuditPlan | undefined {
  if (audit?.get('enabled') !== true) {
    audit?.ignoreRest('enabled is not true');
    return undefined;
  }
  const file = audit.get('logFile') ?? '';
  return {
    component: audit.get('component') || gateway.name,
    eventTypes: audit.get('eventTypes') ?? [],
    excludeEventTypes: audit.get('excludeEventTypes') ?? [],
    includeRequestData: audit.get('includeRequestData') ?? false,
    includeResponseData: audit.get('includeResponseData') ?? false,
    detectApplicationErrors: audit.get('detectApplicationErrors') ?? true,
    maxDataBytes: audit.get('maxDataSize') ?? DEFAULTS.maxDataSize,
    maxDelegationDepth: audit.get('maxDelegationDepth') ?? DEFAULTS.maxDelegationDepth,
    file: file === '' || file === '/dev/stdout' ? null : file,
  };
}
