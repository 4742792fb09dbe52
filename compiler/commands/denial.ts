import { isPrivateException, type PrivateDenial } from '#schemas';
import { UsageError } from '../usage-error.ts';

/** Options of commands that connect to backends. */
export interface DenialOptions {
  /** Refuses connections to private addresses, except for those that `privateBackend` names. */
  readonly denyPrivateBackends?: boolean;
  readonly privateBackend?: readonly string[];
}

/**
 * The restriction that the options request; undefined for none.
 *
 * @throws UsageError for `privateBackend` without `denyPrivateBackends`, and for an invalid host
 */
export function parseDenial({ denyPrivateBackends, privateBackend = [] }: DenialOptions): PrivateDenial | undefined {
  const wrong = privateBackend.find(host => !isPrivateException(host));
  if (wrong !== undefined) {
    throw new UsageError(
      `--private-backend ${wrong}: expected a host, such as tools.team.svc or *.team.svc, or an address`,
    );
  }
  if (denyPrivateBackends === true) return { except: privateBackend };
  if (privateBackend.length === 0) return undefined;
  throw new UsageError('--private-backend makes an exception to --deny-private-backends: give both');
}
