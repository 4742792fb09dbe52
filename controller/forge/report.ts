/** Posts those results of a reconcile that the forge does not have yet, and returns what the forge has afterwards. */
import { formatComment } from './comment-text.ts';
import type { CommitReport } from './commit-report.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import { formatMarker, upsertComment } from './own-comment.ts';
import { formatPosted, hashShort, hashStatus, readPosted } from './posted.ts';

/** Maximum number of statuses that one reconcile posts: forges throttle bursts, and the next reconcile continues. */
const MAX_STATUSES = 100;

/** Maximum number of gateways that are reported as in progress one by one; with more of them, only the source is reported so. */
const MAX_PENDING = 50;

export interface ReportOptions {
  /** Prefix of status names. */
  readonly context: string;
  /** Whether pull requests get a comment. */
  readonly comment: boolean;
}

/** What a reconcile posted. */
export interface ForgeReport {
  /** For `status.lastPosted`; includes what was posted before a failure. */
  readonly posted: string;
  /** Number of posted statuses and comments. */
  readonly written: number;
  /** Number of statuses left for the next reconcile. */
  readonly remaining: number;
  /** Why posting stopped before its end. */
  readonly failure: ForgeError | undefined;
  /** Why a comment is missing, although statuses were accepted. */
  readonly commentFailure: ForgeError | undefined;
}

/**
 * Statuses come first because checks depend on them: the source's own, then failures. On any failure it returns what was posted, so that nothing is
 * posted twice, unless the controller ends before it records the result.
 *
 * @param lastPosted the result of the previous call
 * @throws the reason of an aborted signal
 */
export async function reportToForge(
  commitReport: CommitReport,
  forge: Forge,
  lastPosted: string | undefined,
  options: ReportOptions,
  signal: AbortSignal,
): Promise<ForgeReport> {
  const before = readPosted(lastPosted, commitReport.commit);
  const desiredStatuses = createStatuses(commitReport, options).map(status => ({ status, hash: hashStatus(status) }));
  const known = new Set(desiredStatuses.map(({ hash }) => hash).filter(hash => before.statuses.has(hash)));
  const open = desiredStatuses.filter(({ hash }) => !known.has(hash));
  let writtenCount = 0;
  const toReported = (failure?: ForgeError, comment = before.comment, commentFailure?: ForgeError): ForgeReport => ({
    posted: formatPosted({ commit: commitReport.commit, statuses: known, comment }),
    written: writtenCount,
    remaining: desiredStatuses.length - known.size,
    failure,
    commentFailure,
  });
  for (const { status, hash } of open.slice(0, MAX_STATUSES)) {
    try {
      await forge.setStatus(commitReport.commit, status, signal);
    } catch (error) {
      return toReported(asForgeError(error));
    }
    known.add(hash);
    writtenCount += 1;
  }
  const commented = options.comment ? hashComment(commitReport) : undefined;
  if (commented === undefined || commented === before.comment) return toReported();
  try {
    writtenCount += await postComment(commitReport, forge, options, signal);
    return toReported(undefined, commented);
  } catch (error) {
    const failure = asForgeError(error);
    // A lasting failure is not retried until the content changes; a transient one is.
    return failure.isLasting ? toReported(undefined, commented, failure) : toReported(failure);
  }
}

export function createStatuses(commitReport: CommitReport, { context }: ReportOptions): readonly CommitStatus[] {
  const { state, description, linkTarget, units } = commitReport;
  const own = units.map(({ kind, namespace, name, ...result }): CommitStatus => {
    const kindPart = kind === 'gateway' ? '' : `${kind}/`;
    return {
      context: `${context}/${kindPart}${namespace}/${name}`,
      state: result.state,
      description: result.description,
      linkTarget: result.linkTarget,
    };
  });
  const of = (desiredStatuses: CommitStatus['state']) => own.filter(status => status.state === desiredStatuses);
  const pending = of('pending').length > MAX_PENDING ? [] : of('pending');
  return [{ context, state, description, linkTarget }, ...of('failure'), ...of('success'), ...pending];
}

/** Whether everything was posted, so that no request is needed. */
export function isReported(
  commitReport: CommitReport,
  lastPosted: string | undefined,
  options: ReportOptions,
): boolean {
  const { statuses, comment } = readPosted(lastPosted, commitReport.commit);
  if (options.comment && comment !== hashComment(commitReport)) return false;
  return createStatuses(commitReport, options).every(status => statuses.has(hashStatus(status)));
}

/** The hash of the comment's content, which includes the difference in access if it is known. */
function hashComment({ state, description, units, findings, difference }: CommitReport): string {
  const results = units.map(unit => (unit.state === 'success' ? { ...unit, description: null } : unit));
  return hashShort([state, description, results, findings, difference?.(Number.MAX_SAFE_INTEGER) ?? null]);
}

/** Posts the comment if it changed, and returns the number of posted comments. */
async function postComment(
  commitReport: CommitReport,
  forge: Forge,
  { context }: ReportOptions,
  signal: AbortSignal,
): Promise<number> {
  const marker = formatMarker(commitReport.source, context);
  const room = forge.maxCommentCharacters - marker.length - 1;
  const pullRequests = await forge.listPullRequests(commitReport.commit, signal);
  for (const { number } of pullRequests) {
    await upsertComment(forge, number, marker, before => formatComment(commitReport, context, before, room), signal);
  }
  return pullRequests.length;
}

function asForgeError(error: unknown): ForgeError {
  if (error instanceof ForgeError) return error;
  throw error;
}
