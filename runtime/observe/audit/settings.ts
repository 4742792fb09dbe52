import { ENV_PREFIX } from '#schemas';

/** How records are written, whatever a bundle wants recorded: a matter of the machine. */
export interface AuditWriting {
  /** What happens to requests when records cannot be written as fast as they come. */
  readonly whenFull: 'block' | 'drop';
  /** When written records are forced to the disk. */
  readonly fsync: 'never' | 'second' | 'always';
  /** Whether each record carries the hash of the one before it. */
  readonly chain: boolean;
}

/** A variable has a value that says nothing. */
export class AuditSettingError extends Error {}

/**
 * @param env such as `process.env`: `LINTEL_AUDIT_WHEN_FULL` (default `drop`), `LINTEL_AUDIT_FSYNC` (default `never`),
 *   `LINTEL_AUDIT_CHAIN` (default `false`)
 * @throws AuditSettingError that names the variable and its values
 */
export function readAuditWriting(env: Readonly<Record<string, string | undefined>>): AuditWriting {
  const choice = <T extends string>(name: string, values: readonly [T, ...T[]]): T => {
    const variable = `${ENV_PREFIX}AUDIT_${name}`;
    const text = env[variable];
    if (text === undefined || text === '') return values[0];
    const value = values.find(one => one === text);
    if (value === undefined) throw new AuditSettingError(`${variable}: expected ${values.join(', ')}, found "${text}"`);
    return value;
  };
  return {
    whenFull: choice('WHEN_FULL', ['drop', 'block']),
    fsync: choice('FSYNC', ['never', 'second', 'always']),
    chain: choice('CHAIN', ['false', 'true']) === 'true',
  };
}
