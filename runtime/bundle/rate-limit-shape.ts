import { count, nullable, type Shape, string } from './checks.ts';
import { REDIS } from './redis-shape.ts';

/** A rate is their ratio; the period may exceed the range of timers. */
const atLeastOne = (value: unknown) => count(value) ?? ((value as number) >= 1 ? undefined : 'is not at least 1');

const BUCKET: Shape = nullable({ maxTokens: atLeastOne, refillPeriodMs: atLeastOne });

/** `rateLimiting` of a gateway. */
export const RATE_LIMITING: Shape = {
  store: nullable({ redis: REDIS, keyPrefix: string }),
  shared: BUCKET,
  perUser: BUCKET,
  tools: [{ name: string, shared: BUCKET, perUser: BUCKET }],
};
