/** Writes to the forge what it does not know yet, and tells what it knows then. */
import { commentText } from './comment-text.ts';
import type { CommitReport } from './commit-report.ts';
import type { CommitStatus, Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import { formatMarker, upsertComment } from './own-comment.ts';
import { postedText, readPosted, shortHash, statusHash } from './posted.ts';

/** Statuses of one run: forges slow down who writes much at once, and the next run writes on. */
const MAX_STATUSES = 100;

/** With more gateways than these, only the source is reported as in progress: it is soon over. */
const MAX_PENDING = 50;

export interface ReportOptions {
  /** What the names of statuses start with. */
  readonly context: string;
  /** Whether pull requests get a comment. */
  readonly comment: boolean;
}

/** What a run wrote. */
export interface ForgeReport {
  /** For `status.lastPosted`: also of what was written before a failure. */
  readonly posted: string;
  /** Statuses and comments that were written. */
  readonly written: number;
  /** Statuses that the next run has to write. */
  readonly left: number;
  /** What stopped it. */
  readonly failure: ForgeError | undefined;
  /** Why there is no comment, where one was wanted and statuses were taken. */
  readonly commentFailure: ForgeError | undefined;
}

/**
 * Statuses first, since they count; of them the source's own, then failures. Whatever stops it, it returns what was written: so nothing is
 * written twice, but for what was written and not recorded because the controller ended in between.
 *
 * @param lastPosted what the previous call posted
 * @throws the reason of an aborted signal
 */
export async function reportToForge(
  facts: CommitReport,
  forge: Forge,
  lastPosted: string | undefined,
  options: ReportOptions,
  signal: AbortSignal,
): Promise<ForgeReport> {
  const before = readPosted(lastPosted, facts.commit);
  const wanted = createStatuses(facts, options).map(status => ({ status, hash: statusHash(status) }));
  const known = new Set(wanted.map(({ hash }) => hash).filter(hash => before.statuses.has(hash)));
  const open = wanted.filter(({ hash }) => !known.has(hash));
  let written = 0;
  const toReported = (failure?: ForgeError, comment = before.comment, commentFailure?: ForgeError): ForgeReport => ({
    posted: postedText({ commit: facts.commit, statuses: known, comment }),
    written,
    left: wanted.length - known.size,
    failure,
    commentFailure,
  });
  for (const { status, hash } of open.slice(0, MAX_STATUSES)) {
    try {
      await forge.setStatus(facts.commit, status, signal);
    } catch (error) {
      return toReported(asForgeError(error));
    }
    known.add(hash);
    written += 1;
  }
  const commented = options.comment ? commentHash(facts) : undefined;
  if (commented === undefined || commented === before.comment) return toReported();
  try {
    written += await comment(facts, forge, options, signal);
    return toReported(undefined, commented);
  } catch (error) {
    const failure = asForgeError(error);
    // What cannot be done stays undone until there is something else to say; what passes is tried again.
    return failure.isLasting ? toReported(undefined, commented, failure) : toReported(failure);
  }
}

export function createStatuses(facts: CommitReport, { context }: ReportOptions): readonly CommitStatus[] {
  const { state, description, place, units } = facts;
  const own = units.map(({ kind, namespace, name, ...result }): CommitStatus => {
    const kindPart = kind === 'gateway' ? '' : `${kind}/`;
    return {
      context: `${context}/${kindPart}${namespace}/${name}`,
      state: result.state,
      description: result.description,
      place: result.place,
    };
  });
  const of = (wanted: CommitStatus['state']) => own.filter(status => status.state === wanted);
  const pending = of('pending').length > MAX_PENDING ? [] : of('pending');
  return [{ context, state, description, place }, ...of('failure'), ...of('success'), ...pending];
}

/** Whether all is written: then no request is needed. */
export function isReported(facts: CommitReport, lastPosted: string | undefined, options: ReportOptions): boolean {
  const { statuses, comment } = readPosted(lastPosted, facts.commit);
  if (options.comment && comment !== commentHash(facts)) return false;
  return createStatuses(facts, options).every(status => statuses.has(statusHash(status)));
}

/** The hash of what the comment says; the difference belongs to the commit, and is known or not. */
function commentHash({ state, description, units, findings, difference }: CommitReport): string {
  const results = units.map(unit => (unit.state === 'success' ? { ...unit, description: null } : unit));
  return shortHash([state, description, results, findings, difference?.(Number.MAX_SAFE_INTEGER) ?? null]);
}

/** The number of comments that were written. */
async function comment(
  facts: CommitReport,
  forge: Forge,
  { context }: ReportOptions,
  signal: AbortSignal,
): Promise<number> {
  const marker = formatMarker(facts.source, context);
  const room = forge.maxCommentCharacters - marker.length - 1;
  const pullRequests = await forge.listPullRequests(facts.commit, signal);
  for (const { number } of pullRequests) {
    await upsertComment(forge, number, marker, before => commentText(facts, context, before, room), signal);
  }
  return pullRequests.length;
}

function asForgeError(error: unknown): ForgeError {
  if (error instanceof ForgeError) return error;
  throw error;
}
