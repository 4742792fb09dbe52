import type { FailureHandlingConfig, OperationalConfig, OperationalPlan, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import type { BackendAddress } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import { durationMs } from './duration.ts';
import { reportUnknownBackend } from './known-backends.ts';
import type { Tracked } from './tracked.ts';

/** The seed's defaults, for a spec without the block that would carry them. */
const DEFAULTS = { request: '30s', interval: '30s', probe: '10s', reporting: '30s', unhealthyThreshold: 3 };

export interface LoweredOperational {
  readonly plan: OperationalPlan;
  /** Request timeout of one backend, milliseconds. */
  timeoutOf(backend: string): number;
}

export function lowerOperational(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  operational: Tracked<OperationalConfig> | undefined,
  backends: readonly BackendAddress[],
): LoweredOperational {
  const positive = (text: string, path: Path): number => {
    const ms = durationMs(text);
    if (ms < 1) context.report(gateway, 'LNT1013', path, `expected a duration longer than zero, found "${text}"`);
    return ms;
  };
  const timeouts = operational?.child('timeouts');
  const fallback = positive(timeouts?.get('default') ?? DEFAULTS.request, [...(timeouts?.path ?? []), 'default']);
  const perWorkload = new Map<string, number>();
  for (const [name, text] of Object.entries(timeouts?.get('perWorkload') ?? {})) {
    const path = [...(timeouts?.path ?? []), 'perWorkload', name];
    reportUnknownBackend(
      context,
      gateway,
      path,
      name,
      backends.map(backend => backend.name),
      'key',
    );
    perWorkload.set(name, positive(text, path));
  }
  return {
    plan: {
      logLevel: operational?.get('logLevel') === 'debug' ? 'debug' : 'info',
      ...lowerFailureHandling(context, gateway, operational?.child('failureHandling')?.countsByPresence(), positive),
    },
    timeoutOf: backend => perWorkload.get(backend) ?? fallback,
  };
}

/**
 * `partialFailureMode` defaults to `fail` where the block is written, as the API server would set it. Without the block
 * nobody asked for anything, and one backend that is down must not stop the rest.
 */
function lowerFailureHandling(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  block: Tracked<FailureHandlingConfig> | undefined,
  positive: (text: string, path: Path) => number,
): Pick<OperationalPlan, 'partialFailure' | 'health'> {
  const at = (field: string): Path => [...(block?.path ?? []), field];
  const unhealthyThreshold = block?.get('unhealthyThreshold') ?? DEFAULTS.unhealthyThreshold;
  if (unhealthyThreshold < 1) {
    context.report(gateway, 'LNT1013', at('unhealthyThreshold'), `expected at least 1, found ${unhealthyThreshold}`);
  }
  const breaker = block?.child('circuitBreaker');
  if (breaker?.peek('enabled') === true) {
    breaker.refuse('the circuit breaker');
  } else {
    breaker?.get('enabled');
    breaker?.ignoreRest('enabled is not true');
  }
  return {
    partialFailure: block?.get('partialFailureMode') ?? 'best_effort',
    health: {
      intervalMs: positive(block?.get('healthCheckInterval') ?? DEFAULTS.interval, at('healthCheckInterval')),
      timeoutMs: positive(block?.get('healthCheckTimeout') ?? DEFAULTS.probe, at('healthCheckTimeout')),
      unhealthyThreshold,
      statusReportingIntervalMs: positive(
        block?.get('statusReportingInterval') ?? DEFAULTS.reporting,
        at('statusReportingInterval'),
      ),
    },
  };
}
