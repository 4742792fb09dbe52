import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { durationMs } from '../lower/duration.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './gateway-spec.ts';
import { isWritten } from './written.ts';

/** A health check must be over before the next one starts. */
export function healthCheckTiming(resource: Resource): Diagnostic[] {
  const failure = gatewaySpec(resource)?.config?.operational?.failureHandling;
  if (failure?.healthCheckInterval === undefined || failure.healthCheckTimeout === undefined) return [];
  const { healthCheckInterval: interval, healthCheckTimeout: timeout } = failure;
  if (durationMs(timeout) < durationMs(interval)) return [];
  const block = ['spec', 'config', 'operational', 'failureHandling'];
  const at = [...block, 'healthCheckTimeout'];
  const place = isWritten(resource, at) ? at : [...block, 'healthCheckInterval'];
  const message = `healthCheckTimeout (${timeout}) must be below healthCheckInterval (${interval})`;
  return [diagnose(resource.document, 'LNT1022', place, message, { severity: 'error' })];
}
