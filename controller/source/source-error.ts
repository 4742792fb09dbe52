/** What failures of git mean for a source: the reason of its condition, and what happens next. */
import { GitError, type GitFailure } from '#git';
import { type Next, type Reason, ReconcileError } from '../reconcile/reasons.ts';

interface Meaning {
  readonly reason: Reason;
  readonly next: Next;
  /** What to do, in the words of a GatewaySource; null when git's are as good. */
  readonly advice: string | null;
}

const fetchFailed = (next: Next, advice: string | null = null): Meaning => ({ reason: 'FetchFailed', next, advice });
const notAuthenticated = (advice: string | null = null): Meaning => ({
  reason: 'AuthenticationFailed',
  next: 'stalled',
  advice,
});

const MEANINGS: { readonly [failure in GitFailure]: Meaning } = {
  bad_tree: fetchFailed('stalled'),
  credentials: notAuthenticated('see the Secret of spec.secretRef, and whether its user may read the repository'),
  failed: fetchFailed('retry'),
  foreign_owner: fetchFailed('stalled'),
  host_key: notAuthenticated(
    'if the host is the right one, put the line that ssh-keyscan gives of it in known_hosts of spec.secretRef',
  ),
  invalid: fetchFailed('stalled', 'correct the spec of the source'),
  no_file: fetchFailed('stalled', 'correct spec.path, or commit the folder'),
  no_program: fetchFailed('retry', 'install it in the image of the controller'),
  no_ref: fetchFailed('stalled', 'correct spec.ref, or create what it names'),
  no_repository: fetchFailed('stalled', 'correct spec.url, and see whether spec.secretRef may read it'),
  not_allowed: fetchFailed('stalled', 'correct spec.url'),
  redirect: fetchFailed('stalled', 'write in spec.url the address that it leads to'),
  rewritten: { reason: 'SignatureInvalid', next: 'stalled', advice: null },
  signature: { reason: 'SignatureInvalid', next: 'stalled', advice: null },
  timeout: fetchFailed('retry', 'see whether the server is slow, or give spec.timeout more'),
  too_large: fetchFailed('stalled'),
  unreachable: fetchFailed('retry'),
  untrusted: notAuthenticated('put the certificate of its authority as ca.crt in spec.secretRef'),
};

/** The same failure in the words of the controller; what is no failure of git is left as it is. */
export function asReconcileError(error: unknown): unknown {
  if (!(error instanceof GitError)) return error;
  const { reason, next, advice } = MEANINGS[error.reason];
  const message = advice === null ? error.message : `${error.place}: ${error.problem}; ${advice}`;
  return new ReconcileError(reason, next, message, { cause: error });
}
