import type {
  CircuitBreakerConfig,
  CircuitBreakerPlan,
  FailureHandlingConfig,
  OperationalConfig,
  OperationalPlan,
  VirtualMCPServerSpec,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { getValueAt, type Tracked } from '../resolve/tracked.ts';
import type { Path } from '../source/source-document.ts';
import { LONGEST_TIMER_MS, parseDurationMs } from '../text/duration.ts';
import type { BackendAddress } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import { reportUnknownBackend } from './known-backends.ts';

/** The schema's defaults, for a spec without the block. */
const DEFAULTS = {
  request: '30s',
  interval: '30s',
  probe: '10s',
  reporting: '30s',
  unhealthyThreshold: 3,
  failureThreshold: 5,
  open: '60s',
};

export interface LoweredOperational {
  readonly plan: OperationalPlan;
  /** Request timeout of one backend, in milliseconds. */
  getTimeout(backend: string): number;
  readonly statusReportingIntervalMs: number;
}

export function lowerOperational(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  operational: Tracked<OperationalConfig> | undefined,
  backends: readonly BackendAddress[],
): LoweredOperational {
  const duration = (text: string, path: Path): number => {
    const ms = parseDurationMs(text);
    if (ms < 1 || ms > LONGEST_TIMER_MS) {
      const bound = ms < 1 ? 'longer than zero' : 'of at most 24 days';
      context.report(gateway, 'LNT1013', path, `expected a duration ${bound}, found "${text}"`, {
        help: `Write a duration ${bound}, such as 30s`,
      });
    }
    return ms;
  };
  const timeouts = operational?.child('timeouts');
  const fallback = duration(timeouts?.get('default') ?? DEFAULTS.request, [...(timeouts?.path ?? []), 'default']);
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
    perWorkload.set(name, duration(text, path));
  }
  const block = operational?.child('failureHandling')?.countsByPresence();
  return {
    plan: {
      logLevel: operational?.get('logLevel') === 'debug' ? 'debug' : 'info',
      ...lowerFailureHandling(context, gateway, block, duration),
    },
    getTimeout: backend => perWorkload.get(backend) ?? fallback,
    statusReportingIntervalMs: duration(block?.get('statusReportingInterval') ?? DEFAULTS.reporting, [
      ...(block?.path ?? []),
      'statusReportingInterval',
    ]),
  };
}

/**
 * `partialFailureMode` defaults to `fail` if the block exists, as the API server would set it. Without the block the spec chooses nothing, so one
 * unavailable backend must not stop the rest.
 */
function lowerFailureHandling(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  block: Tracked<FailureHandlingConfig> | undefined,
  duration: (text: string, path: Path) => number,
): Pick<OperationalPlan, 'partialFailure' | 'health' | 'circuitBreaker'> {
  const at = (field: string): Path => [...(block?.path ?? []), field];
  reportDefaultMode(context, gateway, block);
  const circuitBreaker = lowerCircuitBreaker(block?.child('circuitBreaker'), duration);
  return {
    partialFailure: block?.get('partialFailureMode') ?? 'best_effort',
    health: {
      intervalMs: duration(block?.get('healthCheckInterval') ?? DEFAULTS.interval, at('healthCheckInterval')),
      timeoutMs: duration(block?.get('healthCheckTimeout') ?? DEFAULTS.probe, at('healthCheckTimeout')),
      unhealthyThreshold: block?.get('unhealthyThreshold') ?? DEFAULTS.unhealthyThreshold,
    },
    ...(circuitBreaker !== undefined && { circuitBreaker }),
  };
}

function lowerCircuitBreaker(
  block: Tracked<CircuitBreakerConfig> | undefined,
  duration: (text: string, path: Path) => number,
): CircuitBreakerPlan | undefined {
  if (block?.get('enabled') !== true) {
    block?.ignoreRest('enabled is not true');
    return undefined;
  }
  return {
    failureThreshold: block.get('failureThreshold') ?? DEFAULTS.failureThreshold,
    timeoutMs: duration(block.get('timeout') ?? DEFAULTS.open, [...block.path, 'timeout']),
  };
}

/** Reports that `partialFailureMode` is `fail` by default: an author of specs who writes the block for another setting may not expect that. */
function reportDefaultMode(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  block: Tracked<FailureHandlingConfig> | undefined,
): void {
  if (
    block === undefined ||
    getValueAt({ spec: gateway.authored }, [...block.path, 'partialFailureMode']) !== undefined
  )
    return;
  context.report(
    gateway,
    'LNT6012',
    block.path,
    'partialFailureMode is fail by default here: requests fail while any backend is unavailable',
    { at: 'key' },
  );
}
