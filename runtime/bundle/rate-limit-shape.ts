import { count, nullable, type Shape, string } from './checks.ts';
import { REDIS } from './redis-shape.ts';

/** The rate is tokens divided by the period, so the period may be longer than a timer can be. */
const atLeastOne = (value: unknown) => count(value) ?? ((value as number) >= 1 ? undefined : 'is not at least 1');

const BUCKET: Shape = nullable({ maxTokens: atLeastOne, refillPeriodMs: atLeastOne });

/** `rateLimiting` of a gateway. */
export const RATE_LIMITING: Shape = {
  store: nullable({ redis: REDIS, keyPrefix: string }),
  shared: BUCKET,
  perUser: BUCKET,
  tools: [{ name: string, shared: BUCKET, perUser: BUCKET }],
};
