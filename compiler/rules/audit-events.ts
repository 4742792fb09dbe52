import { AUDIT_EVENTS } from '#schemas';
import { findNearest } from '#shared/util';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * Events to record or exclude must exist.
 *
 * @holds The rest of config | `audit.eventTypes`, `excludeEventTypes` | known events | LNT1011
 */
export function auditEvents(resource: Resource): Diagnostic[] {
  const audit = gatewaySpec(resource)?.config?.audit;
  return (['eventTypes', 'excludeEventTypes'] as const).flatMap(field =>
    checkAuditEvents(resource.document, ['spec', 'config', 'audit', field], audit?.[field], AUDIT_EVENTS),
  );
}

/** @param path of the list */
export function checkAuditEvents(
  document: Resource['document'],
  path: Path,
  names: readonly string[] | undefined,
  events: readonly string[],
): Diagnostic[] {
  return (names ?? []).flatMap((name, index) => {
    if (events.includes(name)) return [];
    const close = findNearest(name, events);
    const details = close === undefined ? {} : { fix: `did you mean "${close}"?` };
    return [diagnose(document, 'LNT1011', [...path, index], `no audit event is named ${quote(name)}`, details)];
  });
}
