/** Log lines about sources: one for each change of an outcome, and none while nothing changes. */
import type { Logger } from '../observe/index.ts';
import { type Metrics, type ObservedSource, ReconcileError, type ReconcileReport } from '../reconcile/index.ts';
import { findCondition, findOutcome } from '../status/index.ts';
import { formatNamespacedName } from './names.ts';

type Counts = Pick<Parameters<Metrics['observeReconcile']>[1], 'applied' | 'deleted'>;

export class OutcomeLog {
  readonly #log: Logger;
  /** Sources that are being deleted, by name: how many objects they had applied, and their last logged failure. */
  readonly #leaving = new Map<string, { readonly objects: number; failure?: string }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A reconcile that ends while pods start is logged only if objects were applied or deleted. */
  reconciled(report: ReconcileReport, { applied = 0, deleted = 0 }: Counts): void {
    const { source, status } = report;
    const before = findOutcome(source.status?.conditions ?? []);
    const now = findOutcome(status.conditions ?? []);
    if (now === undefined) return;
    const isSame = before?.status === now.status && before.reason === now.reason && before.message === now.message;
    if (applied + deleted === 0 && (isSame || now.reason === 'Progressing')) {
      if (now.status === 'True') this.#healthChanged(report);
      return;
    }
    const level = now.type === 'Ready' && now.status === 'False' ? 'warn' : 'info';
    const counts = { ...(applied > 0 && { applied }), ...(deleted > 0 && { deleted }) };
    this.#log[level]({ ...describeReport(report), reason: now.reason, ...counts }, now.message);
  }

  /** Logs a gateway that stops working after it ran, which changes no outcome of the source. */
  #healthChanged(report: ReconcileReport): void {
    const [before, now] = [report.source.status, report.status].map(status =>
      findCondition(status?.conditions ?? [], 'Healthy'),
    );
    if (now === undefined || before === undefined || before.status === now.status) return;
    if (now.status === 'Unknown') return;
    this.#log[now.status === 'False' ? 'warn' : 'info']({ ...describeReport(report), reason: now.reason }, now.message);
  }

  /**
   * Logs how the deletion of a source goes on.
   * @param isGone whether all objects of the deleted source are gone
   */
  leaving(source: ObservedSource, isGone: boolean): void {
    const name = formatNamespacedName(source);
    const known = this.#leaving.get(name) ?? { objects: source.status?.inventory?.entries.length ?? 0 };
    this.#leaving.set(name, known);
    if (!isGone) return;
    this.#leaving.delete(name);
    const isKept = source.spec.prune === false || source.spec.suspend === true;
    this.#log.info(
      { source: name, objects: known.objects },
      isKept ? 'the source is deleted; the objects that it applied stay' : 'the source is deleted',
    );
  }

  /** Logs why deleting a source failed: its status is no longer there to read. */
  failedToLeave(source: ObservedSource, error: unknown): void {
    if (!(error instanceof ReconcileError)) return;
    this.leaving(source, false);
    const known = this.#leaving.get(formatNamespacedName(source));
    if (known === undefined || known.failure === error.message) return;
    known.failure = error.message;
    this.#log.warn(
      { source: formatNamespacedName(source), reason: error.reason },
      `cannot be deleted: ${error.message}`,
    );
  }
}

/** The revision is omitted when none could be fetched: the revision in the status has nothing to do with the failure. */
function describeReport({ source, status, tree }: ReconcileReport) {
  return {
    source: formatNamespacedName(source),
    ...(tree !== undefined && { revision: tree.revision }),
    gatewaysReady: status.gatewaysReady,
  };
}
