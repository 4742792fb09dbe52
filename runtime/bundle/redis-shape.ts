import { boolean, count, milliseconds, nullable, oneOf, type Shape, string } from './checks.ts';

const SECRET: Shape = { env: nullable(string), file: nullable(string) };

const TLS: Shape = { ca: nullable(SECRET), insecureSkipVerify: boolean };

/** One Redis and its address. */
export const REDIS: Shape = {
  mode: oneOf('standalone', 'cluster', 'sentinel'),
  addresses: [string],
  masterName: nullable(string),
  db: count,
  username: nullable(SECRET),
  password: nullable(SECRET),
  mayLackPassword: boolean,
  tls: nullable(TLS),
  sentinelTls: nullable(TLS),
  timeouts: { dialMs: milliseconds, readMs: milliseconds, writeMs: milliseconds },
};
