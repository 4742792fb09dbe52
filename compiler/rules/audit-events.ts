import { AUDIT_EVENTS } from '#schemas';
import { quote } from '../check/describe.ts';
import { nearest } from '../check/nearest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './gateway-spec.ts';

const EVENTS: readonly string[] = AUDIT_EVENTS;

/** Events to record or to leave out are events that exist. */
export function auditEvents(resource: Resource): Diagnostic[] {
  const audit = gatewaySpec(resource)?.config?.audit;
  if (audit === undefined) return [];
  return (['eventTypes', 'excludeEventTypes'] as const).flatMap(field =>
    (audit[field] ?? []).flatMap((name, index) => {
      if (EVENTS.includes(name)) return [];
      const close = nearest(name, EVENTS);
      const details = close === undefined ? {} : { fix: `did you mean "${close}"?` };
      const path = ['spec', 'config', 'audit', field, index];
      return [diagnose(resource.document, 'LNT1011', path, `no audit event is named ${quote(name)}`, details)];
    }),
  );
}
