/** Turns the results of a reconcile into the report to a forge. */
import {
  diffExposures,
  EXPOSURE_FILE,
  listOutsideChanges,
  omitShown,
  readExposures,
  renderDifferenceMarkdown,
} from '#compiler';
import { type Condition, compareText, OBJECT_KIND, type SourceGateway } from '#schemas';
import { type CompiledUnit, type CompileOutcome, type FoundDiagnostic, isOfCluster } from '../compile/index.ts';
import type { ReconcileReport } from '../reconcile/index.ts';
import { isRolledBack } from '../status/index.ts';
import type { CommitReport, UnitResult } from './commit-report.ts';
import type { CommitStatus } from './forge.ts';
import type { LinkTarget } from './web-page.ts';

type State = CommitStatus['state'];

/** Reasons of `Ready=False` that pass without a new commit: the commit is not at fault. */
const PASSING: ReadonlySet<string> = new Set([
  'Progressing',
  'ProgressingWithRetry',
  'FetchFailed',
  'AuthenticationFailed',
  'DependencyNotReady',
  'Suspended',
]);

/** The report of a reconcile; undefined when there is no commit to report about. */
export function createCommitReport(reconcileReport: ReconcileReport): CommitReport | undefined {
  const { source, status, outcome } = reconcileReport;
  const commit = findCommit(reconcileReport);
  const { namespace = 'default', name } = source.metadata;
  if (commit === undefined) return undefined;
  const { state, description } = toSourceResult(reconcileReport);
  const units = (outcome?.units ?? []).map(unit => toUnitResult(unit, reconcileReport, state));
  return {
    source: { namespace, name },
    commit,
    revision: reconcileReport.tree?.revision ?? status.lastAttemptedRevision ?? commit,
    state,
    description,
    linkTarget: locateFirst(outcome?.diagnostics) ?? { path: source.spec.path ?? '', isFolder: true },
    units: units.toSorted(
      (a, b) => compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
    ),
    findings: (outcome?.diagnostics ?? []).filter(({ severity }) => severity === 'error').map(formatFinding),
    documentation: outcome?.documentation,
    difference: computeDifference(reconcileReport),
  };
}

/** The commit that the reconcile is about, even if the revision was refused before checkout, for example without a signature. */
function findCommit({ tree, status }: ReconcileReport): string | undefined {
  if (tree !== undefined) return tree.commit;
  return /(?:sha1|sha256):([0-9a-f]{40,64})$/.exec(status.lastAttemptedRevision ?? '')?.[1];
}

function toSourceResult({ status }: ReconcileReport): { readonly state: State; readonly description: string } {
  const readCondition = (type: string) => status.conditions?.find(condition => condition.type === type);
  const trueOne = (type: string): Condition | undefined => {
    const condition = readCondition(type);
    return condition?.status === 'True' ? condition : undefined;
  };
  const failed = trueOne('Stalled') ?? trueOne('RolledBack');
  if (failed !== undefined) return { state: 'failure', description: failed.message };
  const ready = readCondition('Ready');
  if (ready?.status === 'True') return { state: 'success', description: ready.message };
  if (ready?.status === 'False' && !PASSING.has(ready.reason)) return { state: 'failure', description: ready.message };
  return { state: 'pending', description: ready?.message ?? 'in progress' };
}

function toUnitResult(unit: CompiledUnit, reconcileReport: ReconcileReport, source: State): UnitResult {
  const { kind, namespace, name, diagnostics } = unit;
  const findings = diagnostics.filter(({ severity }) => severity === 'error').map(formatFinding);
  const linkTarget = locateFirst(diagnostics) ?? locateSpec(unit, reconcileReport);
  return { kind, namespace, name, findings, linkTarget, ...toRolloutResult(unit, findings, reconcileReport, source) };
}

function locateFirst(diagnostics: readonly FoundDiagnostic[] = []): LinkTarget | undefined {
  const found = diagnostics.find(({ severity, file }) => severity === 'error' && isInRepository(file));
  return found?.file === undefined ? undefined : { path: found.file, isFolder: false, line: found.line };
}

function locateSpec({ kind, namespace, name }: CompiledUnit, { outcome }: ReconcileReport): LinkTarget | undefined {
  const origin = outcome?.origins?.[`${OBJECT_KIND[kind]}/${namespace}/${name}`];
  return origin && isInRepository(origin.file) ? { path: origin.file, isFolder: false, line: origin.line } : undefined;
}

/** Cluster objects are compiled as files whose names no path in the repository has. */
function isInRepository(file: string | undefined): boolean {
  return file !== undefined && !isOfCluster(file);
}

function toRolloutResult(
  { kind, namespace, name, digest }: CompiledUnit,
  findings: readonly string[],
  { status, outcome, tree, rollouts }: ReconcileReport,
  source: State,
): { readonly state: State; readonly description: string } {
  const [first] = findings;
  if (digest === null || first !== undefined)
    return { state: 'failure', description: first ?? 'the compiler built no bundle; see the findings of the source' };
  if (outcome?.isGood === false)
    return { state: 'failure', description: 'nothing of this revision is applied, because other gateways have errors' };
  const isIt = (entry: { readonly kind: string; readonly namespace: string; readonly name: string }) =>
    entry.kind === kind && entry.namespace === namespace && entry.name === name;
  const applied: SourceGateway | undefined = status.gateways?.find(isIt);
  const rollout = rollouts?.find(({ unit }) => isIt(unit));
  const shown = rollout?.digest === digest && rollout.message !== '' ? rollout.message : undefined;
  if (applied?.heldDigest === digest) {
    const what = isRolledBack(applied)
      ? applied.digest === digest
        ? 'the previous pods run again'
        : 'the previous bundle runs again'
      : 'there is no previous bundle to restore';
    return { state: 'failure', description: `${what}: ${applied.message ?? shown ?? 'refused'}` };
  }
  if (applied?.activeDigest === digest && applied.digest === digest)
    return {
      state: 'success',
      description: `${rollout?.state === 'active' && shown !== undefined ? shown : 'active'} at ${tree?.commit.slice(0, 12) ?? digest.slice(0, 19)}`,
    };
  if (source === 'failure') return { state: 'failure', description: 'not rolled out: see the status of the source' };
  return { state: 'pending', description: shown ?? 'rolling out' };
}

function formatFinding({ code, message, file, line, object }: FoundDiagnostic): string {
  const location = file === undefined ? object : line === undefined ? file : `${file}:${line}`;
  return `${code}${location === undefined ? '' : ` ${location}`}: ${message}`;
}

/**
 * The changes of access between the applied and the new revision, and what differs that no bundle contains; undefined when nothing was applied
 * before, or when the same revision was applied.
 */
function computeDifference({ outcome, applied }: ReconcileReport): CommitReport['difference'] {
  if (outcome === undefined || applied === undefined || outcome === applied || !outcome.isGood) return undefined;
  const [before, after] = [readUnitExposures(applied), readUnitExposures(outcome)];
  if (before === undefined || after === undefined) return undefined;
  const notCompared = listOutsideChanges(
    applied.outside && omitShown(applied.outside, before),
    outcome.outside && omitShown(outcome.outside, after),
  );
  if (outcome.digest === applied.digest && notCompared.length === 0) return undefined;
  return maxCharacters =>
    renderDifferenceMarkdown(diffExposures(before, after), { color: false, maxCharacters, notCompared });
}

/** What each gateway of a revision exposes, from its `exposure.json`; undefined when the compilation did not write that file. */
function readUnitExposures({ units }: CompileOutcome) {
  const texts = units.flatMap(({ files }) => files.filter(({ path }) => path === EXPOSURE_FILE));
  if (texts.length === 0 && units.length > 0) return undefined;
  return texts.flatMap(({ text }) => readExposures(JSON.parse(text)) ?? []);
}
