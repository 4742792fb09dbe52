import type { MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { LONGEST_TIMER_MS, parseDurationMs } from '../text/duration.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

interface Bounds {
  readonly leastMs: number;
  readonly least: string;
  readonly mostMs: number;
  readonly most: string;
}

const OF_TIMERS: Bounds = {
  leastMs: 1,
  least: 'longer than zero',
  mostMs: LONGEST_TIMER_MS,
  most: 'of at most 24 days',
};

const OF_SECONDS: Bounds = {
  leastMs: 1_000,
  least: 'of at least 1s',
  mostMs: 100 * 365 * 86_400_000,
  most: 'of at most 100 years',
};

/** A time as written, its path, and its default in `usual`, which is undefined for a required field. */
interface WrittenTime {
  readonly text: string | undefined;
  readonly path: Path;
  readonly usual: string | undefined;
}

/**
 * Timeouts for Redis, embeddings and programs must be positive, and within the range of timers.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `storage.redis` timeouts | above zero, at most 24 days |
 *   LNT1013
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `cimd.cacheFallbackTtl`, `…maxAssertionAge` | 1s or more, at
 *   most 100 years | LNT1013
 * @holds The rest of config | `optimizer.embeddingServiceTimeout` | above zero, at most 24 days | LNT1013
 * @holds The rest of config | `process.startTimeout`, `process.requestTimeout` of an MCPServer | above zero, at most 24 days | LNT1013
 */
export function timeouts(resource: Resource): Diagnostic[] {
  const waits = [...listRedisTimes(resource), ...listEmbeddingTimes(resource), ...listProgramTimes(resource)];
  return [
    ...waits.flatMap(time => check(resource, time, OF_TIMERS)),
    ...listWholeSeconds(resource).flatMap(time => check(resource, time, OF_SECONDS)),
  ];
}

function listRedisTimes(resource: Resource): readonly WrittenTime[] {
  const location = findAuthServer(resource);
  const redis = location?.server.storage?.redis;
  if (location === undefined || redis === undefined) return [];
  const path = [...location.path, 'storage', 'redis'];
  return [
    { text: redis.dialTimeout, path: [...path, 'dialTimeout'], usual: '5s' },
    { text: redis.readTimeout, path: [...path, 'readTimeout'], usual: '3s' },
    { text: redis.writeTimeout, path: [...path, 'writeTimeout'], usual: '3s' },
  ];
}

function listEmbeddingTimes(resource: Resource): readonly WrittenTime[] {
  const text = gatewaySpec(resource)?.config?.optimizer?.embeddingServiceTimeout;
  return [{ text, path: ['spec', 'config', 'optimizer', 'embeddingServiceTimeout'], usual: '30s' }];
}

/** The idle time of a session may be zero. */
function listProgramTimes(resource: Resource): readonly WrittenTime[] {
  if (resource.kind !== 'MCPServer') return [];
  const { process } = resource.spec as MCPServerSpec;
  const path = ['spec', 'process'];
  return [
    { text: process?.startTimeout, path: [...path, 'startTimeout'], usual: '5m' },
    { text: process?.requestTimeout, path: [...path, 'requestTimeout'], usual: '10m' },
  ];
}

/** Durations that the authorization server counts in seconds: less than one second would be rounded to zero. */
function listWholeSeconds(resource: Resource): readonly WrittenTime[] {
  const location = findAuthServer(resource);
  if (location === undefined) return [];
  const { cimd, trustedIssuers = [] } = location.server;
  return [
    { text: cimd?.cacheFallbackTtl, path: [...location.path, 'cimd', 'cacheFallbackTtl'], usual: '5m' },
    ...trustedIssuers.map(({ jwtBearerGrant }, index) => ({
      text: jwtBearerGrant?.maxAssertionAge,
      path: [...location.path, 'trustedIssuers', index, 'jwtBearerGrant', 'maxAssertionAge'],
      usual: undefined,
    })),
  ];
}

function check(
  { document }: Resource,
  { text, path, usual }: WrittenTime,
  { leastMs, least, mostMs, most }: Bounds,
): readonly Diagnostic[] {
  if (text === undefined) return [];
  const ms = parseDurationMs(text);
  if (ms >= leastMs && ms <= mostMs) return [];
  const bound = ms < leastMs ? least : most;
  const example = usual === undefined ? ', such as 5m' : `, such as ${usual}, the default`;
  return [
    diagnose(document, 'LNT1013', path, `expected a duration ${bound}, found "${text}"`, {
      help: `Write a duration ${bound}${example}`,
    }),
  ];
}
