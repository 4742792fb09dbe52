/** `partialFailureMode: fail`: while a backend is unavailable, requests that need all backends fail. */
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { RoutingGateway } from './routing-gateway.ts';

/**
 * Requires that all backends are available.
 * @throws WireError that names the unavailable backends, when `partialFailureMode` is `fail`
 */
export function requireEveryBackend(
  gateway: Pick<RoutingGateway, 'bundle' | 'connections'>,
  isMissing: (connection: BackendConnection) => boolean,
): void {
  if (gateway.bundle.operational.partialFailure !== 'fail') return;
  const missing = [...gateway.connections.values()].filter(isMissing);
  if (missing.length === 0) return;
  // An early probe lets the next request succeed soon.
  for (const { monitor } of missing) if (!monitor.available) monitor.probeSoon();
  const names = missing.map(({ name }) => `"${name}"`).join(', ');
  throw new WireError(WIRE_CODE.internalError, `unavailable: ${names} (partialFailureMode is fail)`, {
    data: { backends: missing.map(({ name, monitor }) => ({ name, message: monitor.health.message })) },
  });
}

export function isAway({ monitor }: BackendConnection): boolean {
  return !monitor.available;
}
