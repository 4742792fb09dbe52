import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { parseDurationMs } from '../text/duration.ts';
import { isExplicit } from './support/explicit.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * A health check must end before the next one starts.
 *
 * @holds The rest of config | `operational…healthCheckTimeout` | below the interval | LNT1022
 */
export function healthCheckTiming(resource: Resource): Diagnostic[] {
  const failure = gatewaySpec(resource)?.config?.operational?.failureHandling;
  if (failure?.healthCheckInterval === undefined || failure.healthCheckTimeout === undefined) return [];
  const { healthCheckInterval: interval, healthCheckTimeout: timeout } = failure;
  if (parseDurationMs(timeout) < parseDurationMs(interval)) return [];
  const block = ['spec', 'config', 'operational', 'failureHandling'];
  const at = [...block, 'healthCheckTimeout'];
  const path = isExplicit(resource, at) ? at : [...block, 'healthCheckInterval'];
  const message = `healthCheckTimeout (${timeout}) must be below healthCheckInterval (${interval})`;
  return [diagnose(resource.document, 'LNT1022', path, message, { severity: 'error' })];
}
