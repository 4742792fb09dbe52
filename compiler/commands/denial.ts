import { isPrivateException, type PrivateDenial } from '#schemas';
import { UsageError } from '../usage-error.ts';

/** The options of commands that connect to backends. */
export interface DenialOptions {
  /** Connect to nothing at a private address, but for what `privateBackend` names. */
  readonly denyPrivateBackends?: boolean;
  readonly privateBackend?: readonly string[];
}

/**
 * The denial that options ask for; undefined where they ask for none.
 *
 * @throws UsageError for exceptions without it, and for what is no host
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
