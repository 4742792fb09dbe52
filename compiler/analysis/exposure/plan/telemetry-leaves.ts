/** The leaves of telemetry: who may read metrics without a token, and where telemetry is sent. */
import { getMember } from '#schemas';
import {
  availability,
  destination,
  type LeafChange,
  type Leaves,
  NONE,
  opens,
  prefixLeaves,
  presentation,
} from './leaf.ts';
import { hasItems, SECRET_SOURCE_LEAVES, secret, secretDestination, secretDestinationPart } from './secret-leaves.ts';

/** A page with metrics that requires no authentication. Absent when no telemetry is configured. */
const PAGE: Leaves[string] = {
  meaning: 'access',
  effect: ({ was, is }) => {
    const [had, has] = [was, is].map(value => value !== undefined && value !== null && value !== false);
    if (had === has) return was === is || !has ? 'same' : 'mixed';
    return has ? 'wider' : 'narrower';
  },
};

/** Whether the collector gets metrics at all. */
const BEGINS: Leaves[string] = {
  meaning: 'destination',
  effect: ({ was, is }) => {
    const [had, has] = [was, is].map(Boolean);
    if (had === has) return 'same';
    return has ? 'wider' : 'narrower';
  },
};

/** The share of requests of which the collector gets spans; null for none. */
const SHARE: Leaves[string] = {
  meaning: 'destination',
  effect: ({ was, is }) => {
    const [from, to] = [was, is].map(value => Number(value ?? 0)) as [number, number];
    if (from === to) return 'same';
    return to > from ? 'wider' : 'narrower';
  },
};

/** A collector gets the configured headers, and the values of the environment variables that are put into spans. */
function carriesSecret(otlp: unknown, plan: unknown): boolean {
  return hasItems(otlp, 'headers') || hasItems(getMember(plan, 'telemetry'), 'environmentVariables');
}

/** Whether the collector gets the value of another environment variable than before. */
function hasMoreNames({ was, is }: LeafChange): boolean {
  const old: readonly unknown[] = Array.isArray(was) ? was : [];
  return Array.isArray(is) && is.some(name => !old.includes(name));
}

export const TELEMETRY_LEAVES: Leaves = {
  '': availability(),
  '.serviceName': presentation(),
  '.serviceVersion': presentation(),
  '.attributes{}': presentation(),
  // The values of these environment variables are sent to the collector.
  '.environmentVariables': { ...destination(), alarm: change => (hasMoreNames(change) ? 'otherSecret' : undefined) },
  '.useLegacyAttributes': presentation(),
  '.metricsOnMainPort': PAGE,
  '.metricsPort': PAGE,
  '.otlp': secretDestinationPart(carriesSecret),
  '.otlp.protocol': destination(),
  '.otlp.endpoint': secretDestination(carriesSecret, 'url'),
  '.otlp.headers[]': secret(),
  // Headers are sorted by name, so their order means nothing.
  '.otlp.headers[#]': NONE,
  '.otlp.headers[].name': secret(),
  '.otlp.headers[].value.type': secret(),
  '.otlp.headers[].value.text': secret('digest'),
  ...prefixLeaves('.otlp.headers[].value.from', SECRET_SOURCE_LEAVES),
  '.otlp.caPem': opens('trust', 'digest'),
  '.otlp.caFile': opens('trust'),
  '.otlp.samplingRate': SHARE,
  '.otlp.metrics': BEGINS,
};
