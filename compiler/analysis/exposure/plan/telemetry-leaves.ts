/** The leaves of telemetry: who may read metrics without a token, and where telemetry is sent. */
import { availability, credential, destination, type Leaves, NONE, opens, prefixLeaves, presentation } from './leaf.ts';
import { SECRET_SOURCE_LEAVES } from './token-provider-leaves.ts';

/** A metrics page without authentication; absent when the block is. */
const PAGE: Leaves[string] = {
  meaning: 'access',
  effect: ({ was, is }) => {
    const [had, has] = [was, is].map(value => value !== undefined && value !== null && value !== false);
    if (had === has) return was === is || !has ? 'same' : 'mixed';
    return has ? 'wider' : 'narrower';
  },
};

export const TELEMETRY_LEAVES: Leaves = {
  '': availability(),
  '.serviceName': presentation(),
  '.serviceVersion': presentation(),
  '.attributes{}': presentation(),
  // Values of the process's environment variables are sent to the collector.
  '.environmentVariables': destination(),
  '.useLegacyAttributes': presentation(),
  '.metricsOnMainPort': PAGE,
  '.metricsPort': PAGE,
  '.otlp': destination(),
  '.otlp.protocol': destination(),
  '.otlp.endpoint': destination('url'),
  '.otlp.headers[]': credential(),
  // Sorted by name.
  '.otlp.headers[#]': NONE,
  '.otlp.headers[].name': credential(),
  '.otlp.headers[].value.type': credential(),
  '.otlp.headers[].value.text': credential('digest'),
  ...prefixLeaves('.otlp.headers[].value.from', SECRET_SOURCE_LEAVES),
  '.otlp.caPem': opens('trust', 'digest'),
  '.otlp.caFile': opens('trust'),
  '.otlp.samplingRate': availability(),
  '.otlp.metrics': availability(),
};
