/** Maps Git failures to a source's condition reason and the next action. */
import { GitError, type GitFailure } from '#shared/git';
import { type FailureOutcome, ReconcileError } from '../reconcile/index.ts';
import type { Reason } from '../status/index.ts';
import type { SourceNames } from './source-names.ts';

interface FailureMeaning {
  readonly reason: Reason;
  readonly next: FailureOutcome;
  /** Advice in terms of the GatewaySource; null when Git's own advice is sufficient. */
  readonly advice: string | null;
}

const fetchFailed = (next: FailureOutcome, advice: string | null = null): FailureMeaning => ({
  reason: 'FetchFailed',
  next,
  advice,
});
const createAuthenticationMeaning = (advice: string | null = null): FailureMeaning => ({
  reason: 'AuthenticationFailed',
  next: 'stalled',
  advice,
});

function createMeanings(names: SourceNames): { readonly [failure in GitFailure]: FailureMeaning } {
  const { path, url, secret, credentials, whole, machine, timeout, interval } = names;
  return {
    bad_certificate: createAuthenticationMeaning(),
    bad_tree: fetchFailed('stalled'),
    credentials: createAuthenticationMeaning(`check ${credentials}, and whether the user may read the repository`),
    failed: fetchFailed('retry'),
    foreign_owner: fetchFailed('stalled'),
    host_key: createAuthenticationMeaning(
      `if the host is the right one, put the line that ssh-keyscan prints for the host in known_hosts of ${secret}`,
    ),
    invalid: fetchFailed('stalled', `correct ${whole}`),
    no_file: fetchFailed('stalled', `correct ${path}, or commit the folder`),
    no_program: fetchFailed('retry', `install it ${machine}`),
    no_ref: fetchFailed('stalled', `correct ${names.ref()}, or create the ref`),
    no_repository: fetchFailed('stalled', `correct ${url}, and check whether ${secret} may read the repository`),
    no_space: fetchFailed('retry', 'free some space, or enlarge the volume of --state-dir'),
    not_allowed: fetchFailed('stalled', `correct ${url}`),
    rate_limited: fetchFailed(
      'retry',
      `raise ${interval}, or set credentials: most forges allow more requests with credentials`,
    ),
    redirect: fetchFailed('stalled', `write the target of the redirect in ${url}`),
    rewritten: { reason: 'SignatureInvalid', next: 'stalled', advice: null },
    silent: fetchFailed('retry', 'check whether the git server hangs'),
    signature: { reason: 'SignatureInvalid', next: 'stalled', advice: null },
    timeout: fetchFailed(
      'retry',
      `check whether the server is slow${timeout === undefined ? '' : `, or raise ${timeout}`}`,
    ),
    too_large: fetchFailed('stalled'),
    unreachable: fetchFailed('retry'),
    unwritable: fetchFailed('retry'),
    untrusted: createAuthenticationMeaning(`add the certificate of its authority as ca.crt to ${secret}`),
  };
}

/** Converts a failure of Git to one in terms of the GatewaySource; other errors are returned unchanged. */
export function asReconcileError(error: unknown, names: SourceNames): unknown {
  if (!(error instanceof GitError)) return error;
  const { reason, next, advice } = createMeanings(names)[error.reason];
  const message = advice === null ? error.message : `${error.location}: ${error.problem}; ${advice}`;
  return new ReconcileError(reason, next, message, { cause: error });
}
