/** Compile: finds the desired state of the destination, which is the newest revision if it is valid, otherwise the last valid one. */
import { createHash } from 'node:crypto';
import { REQUESTED_AT_ANNOTATION, VERSION } from '#schemas';
import { computeBackoffMs } from '#shared/util';
import type { CompileOutcome, CompileRequest } from '../compile/index.ts';
import type { CompiledTree, ReconcileCache } from './cache.ts';
import type { Checkout, ObservedSource } from './context.ts';
import { measureStage, type Run } from './run.ts';
import type { StatusInput } from './status-writer.ts';

/**
 * Compiles the newest revision. Progress is written when it is new.
 * @param known further status content
 */
export async function compileNewest(run: Run, tree: Checkout, known: StatusInput): Promise<CompiledTree> {
  const { source, context, cache, statusWriter, signal } = run;
  const { lastAttemptedRevision, observedGeneration } = source.status ?? {};
  const isNew = lastAttemptedRevision !== tree.revision;
  if (isNew) context.events.add(source, 'Normal', 'NewRevision', `${tree.revision} is the newest revision`);
  const question = createQuestion(run, tree);
  const isNewAttempt = isNew || observedGeneration !== (source.metadata.generation ?? 0);
  if (isNewAttempt && findResting(run, question) === undefined)
    await statusWriter.progress(`compiling ${tree.revision}`, known, signal);
  const attempted = await measureStage(run, 'compile', () => compileTree(run, tree, question));
  cache.attempted = attempted;
  return attempted;
}

/**
 * The last applied revision, compiled again if this process has not compiled it yet. Undefined when the revision is unavailable, or when the source's
 * spec changed: the old revision was never reviewed together with the new spec.
 */
export async function compileLastGood(run: Run): Promise<CompiledTree | undefined> {
  const { source, context, cache, signal, yieldWorker } = run;
  const { lastAppliedRevision: revision, observedGeneration } = source.status ?? {};
  if (revision === undefined) return undefined;
  if (cache.applied?.tree.revision === revision) return cache.applied;
  if (observedGeneration !== source.metadata.generation) return undefined;
  const tree = await context.repository.checkoutPrevious(source, revision, signal, { yieldWorker });
  if (tree === undefined) return undefined;
  const retried = await compileTree(run, tree, createQuestion(run, tree));
  return retried.outcome.isGood ? retried : undefined;
}

/** Delays before an unfinished compilation is tried again, in milliseconds: long, because each attempt may use a core for a minute. */
const AGAIN = { firstMs: 60_000, longestMs: 15 * 60_000 };

/** Maximum number of remembered unfinished compilations: one of the newest revision, and one of the last good revision. */
const MAX_UNFINISHED = 2;

interface Question {
  readonly request: CompileRequest;
  /** A hash of everything that the outcome depends on. */
  readonly inputs: string;
}

function createQuestion({ source, context }: Run, tree: Checkout): Question {
  const { digest: clusterDigest, texts } = context.clusterInputs(source);
  const { withExposure, withBundleFiles, manifests, denial } = context.output;
  const wantsComment = source.spec.commitStatus !== undefined && source.spec.commitStatus.comment !== false;
  const request: CompileRequest = {
    key: `${source.metadata.namespace}/${source.metadata.name}`,
    folder: tree.folder,
    path: source.spec.path ?? '.',
    defaultNamespace: source.spec.targetNamespace ?? source.metadata.namespace ?? 'default',
    targetNamespace: source.spec.targetNamespace,
    clusterTexts: texts,
    withExposure: withExposure || wantsComment,
    withBundleFiles,
    manifests,
    denial,
  };
  // Suppressions of findings expire, so the date is an input as well.
  const day = new Date(context.now()).toISOString().slice(0, 10);
  const { clusterTexts: _, ...settings } = request;
  const inputs = hash([tree.commit, settings, clusterDigest, VERSION, day, readRequestedAt(source)]);
  return { request, inputs };
}

/** The outcome of an unfinished compilation whose retry is not due yet. */
function findResting({ context, cache }: Run, { inputs }: Question): CompileOutcome | undefined {
  const unfinished = cache.unfinished.get(inputs);
  return unfinished !== undefined && context.monotonicNow() < unfinished.againAtMs ? unfinished.outcome : undefined;
}

/** Compiles a checkout, unless the same inputs were compiled before. */
async function compileTree(run: Run, tree: Checkout, question: Question): Promise<CompiledTree> {
  const { context, cache, signal } = run;
  const { request, inputs } = question;
  const resting = findResting(run, question);
  if (resting !== undefined) return { tree, inputs, outcome: resting };
  for (const known of [cache.attempted, cache.applied])
    if (known?.inputs === inputs && known.outcome.isUnfinished !== true) return { ...known, tree };
  const outcome = await context.compile(request, signal);
  remember(cache, inputs, outcome, context.monotonicNow());
  return { tree, inputs, outcome };
}

function remember({ unfinished }: ReconcileCache, inputs: string, outcome: CompileOutcome, nowMs: number): void {
  const tries = (unfinished.get(inputs)?.tries ?? 0) + 1;
  unfinished.delete(inputs);
  if (outcome.isUnfinished !== true) return;
  unfinished.set(inputs, { outcome, tries, againAtMs: nowMs + computeBackoffMs(tries, AGAIN) });
  for (const oldest of [...unfinished.keys()].slice(0, -MAX_UNFINISHED)) unfinished.delete(oldest);
}

/** Value of the annotation that requests a reconcile. */
export function readRequestedAt({ metadata }: ObservedSource): string | undefined {
  return metadata.annotations?.[REQUESTED_AT_ANNOTATION];
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
