import type { AuditPlan, RegistryConfig } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';

type AuditConfig = NonNullable<RegistryConfig['audit']>;

/** The component name in audit records of a registry server, whose configuration has none. */
const COMPONENT = 'lintel-registry-api';

const NO_BODIES = 'this server reads no body of a request';

/** The audit plan; undefined if `enabled` is not true. */
export function lowerRegistryAudit(audit: Tracked<AuditConfig> | undefined): AuditPlan | undefined {
  if (audit?.get('enabled') !== true) {
    audit?.ignoreRest('enabled is not true');
    return undefined;
  }
  audit.ignore('includeRequestData', NO_BODIES);
  audit.ignore('maxDataSize', NO_BODIES);
  const file = audit.get('logFile') ?? '';
  return {
    component: COMPONENT,
    eventTypes: audit.get('eventTypes') ?? [],
    excludeEventTypes: audit.get('excludeEventTypes') ?? [],
    includeRequestData: false,
    includeResponseData: false,
    detectApplicationErrors: false,
    maxDataBytes: 0,
    maxDelegationDepth: 10,
    file: file === '' || file === '/dev/stdout' ? null : file,
  };
}
