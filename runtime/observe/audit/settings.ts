import { AUDIT_COLLECTOR_VARIABLE, ENV_PREFIX, type OtlpPlan } from '#schemas';

/** How records are written. The environment of the process decides this, not the bundle. */
export interface AuditWriting {
  /** How requests are treated when records cannot be written fast enough. */
  readonly whenFull: 'block' | 'drop';
  /** When written records are forced to the disk. */
  readonly fsync: 'never' | 'second' | 'always';
  /** Whether each record contains the hash of the previous one. */
  readonly chain: boolean;
  /** A collector that also gets the records, as OTLP logs; undefined for none. */
  readonly collector: AuditCollector | undefined;
}

export type AuditCollector = Pick<OtlpPlan, 'endpoint' | 'protocol'>;

/** A variable has an invalid value. */
export class AuditSettingError extends Error {
  readonly code = 'ERR_AUDIT_SETTING';
}

/**
 * @param env such as `process.env`: `LINTEL_AUDIT_WHEN_FULL` (default `drop`), `LINTEL_AUDIT_FSYNC` (default `never`),
 *   `LINTEL_AUDIT_CHAIN` (default `false`), `LINTEL_AUDIT_OTLP_ENDPOINT` (default none)
 * @throws AuditSettingError that names the variable and its values
 */
export function readAuditWriting(env: Readonly<Record<string, string | undefined>>): AuditWriting {
  const choice = <T extends string>(name: string, values: readonly [T, ...T[]]): T => {
    const variable = `${ENV_PREFIX}AUDIT_${name}`;
    const text = env[variable];
    if (text === undefined || text === '') return values[0];
    const value = values.find(element => element === text);
    if (value === undefined) throw new AuditSettingError(`${variable}: expected ${values.join(', ')}, found "${text}"`);
    return value;
  };
  return {
    whenFull: choice('WHEN_FULL', ['drop', 'block']),
    fsync: choice('FSYNC', ['never', 'second', 'always']),
    chain: choice('CHAIN', ['false', 'true']) === 'true',
    collector: toCollector(env[AUDIT_COLLECTOR_VARIABLE]),
  };
}

/** The registered port of OTLP over gRPC; at other ports OTLP uses HTTP. */
const GRPC_PORT = '4317';

function toCollector(text: string | undefined): AuditCollector | undefined {
  if (text === undefined || text === '') return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    // The value is not shown, because it may contain a password.
    throw new AuditSettingError(
      `${AUDIT_COLLECTOR_VARIABLE}: expected a URL such as https://collector.example.com:4318, without user and password`,
    );
  }
  if (url.port === GRPC_PORT) return { protocol: 'grpc', endpoint: url.origin };
  return { protocol: 'http/protobuf', endpoint: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}
