/** The metrics of reconciles. */
import type { CompiledUnit } from '../compile/index.ts';
import type { ControllerMetrics, ExposedTools } from '../observe/index.ts';
import type { Metrics, ReconcileReport } from '../reconcile/index.ts';
import { findCondition } from '../status/index.ts';

export function createSourceMetrics(metrics: ControllerMetrics, now: () => number): Metrics {
  return {
    stage: (_source, stage, seconds) => metrics.stage(stage, seconds),
    observeReconcile(reconcileReport, { drift, rejected }) {
      const { source, status } = reconcileReport;
      const subject = { namespace: source.metadata.namespace ?? '', name: source.metadata.name };
      metrics.suspended(subject, source.spec.suspend === true);
      metrics.unverified(
        subject,
        findCondition(status.conditions ?? [], 'SourceVerified')?.reason === 'SignatureInvalid',
      );
      if (drift !== undefined) metrics.drift(subject, source.spec.drift === 'report' ? 'reported' : 'corrected', drift);
      for (const reason of rejected) if (reason === 'BundleRejected') metrics.refused(subject);
      metrics.bundles(
        subject,
        (status.gateways ?? []).flatMap(({ kind, namespace, name, activeDigest }) =>
          activeDigest === undefined
            ? []
            : [{ kind, namespace, name, digest: activeDigest, revision: status.lastAppliedRevision ?? '' }],
        ),
      );
      metrics.exposedTools(subject, listExposedTools(reconcileReport));
      const committedAt = Date.parse(reconcileReport.tree?.committedAt ?? '');
      if (isNewlyReady(reconcileReport) && !Number.isNaN(committedAt))
        metrics.lag(subject, (now() - committedAt) / 1_000);
    },
  };
}

/**
 * The tools that clients reach through the active bundles. Bundles of earlier revisions are missing after a restart, because they are not compiled
 * again.
 */
function listExposedTools({ status, outcome, applied }: ReconcileReport): readonly ExposedTools[] {
  const units = [...(outcome?.units ?? []), ...(applied?.units ?? [])];
  return (status.gateways ?? []).flatMap(({ kind, namespace, name, activeDigest }) => {
    const isActive = (unit: CompiledUnit): boolean =>
      unit.digest === activeDigest && unit.kind === kind && unit.namespace === namespace && unit.name === name;
    const counts = activeDigest === undefined ? undefined : units.find(isActive)?.exposedTools;
    return (counts ?? []).map(count => ({ namespace, name, ...count }));
  });
}

/** Whether every pod runs the newest revision now and did not in the last reconcile. */
function isNewlyReady({ source, status, tree }: ReconcileReport): boolean {
  const isReady = (of: typeof status | undefined): boolean =>
    tree !== undefined &&
    of?.lastAppliedRevision === tree.revision &&
    findCondition(of.conditions ?? [], 'Ready')?.status === 'True';
  return isReady(status) && !isReady(source.status);
}
