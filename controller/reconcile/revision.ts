/** Compile: what the destination of a source should have. The newest revision if it is good, else the last that was. */
import { createHash } from 'node:crypto';
import { REQUESTED_AT_ANNOTATION, VERSION } from '#schemas';
import type { CompileRequest } from '../compile/index.ts';
import type { Compiled } from './cache.ts';
import type { Checkout, ObservedSource } from './context.ts';
import { type Run, timed } from './run.ts';
import type { StatusInput } from './status-writer.ts';

/**
 * Compile: the newest revision. What is about to happen is written down where it is news.
 *
 * @param known what the status is to say besides
 */
export async function compileNewest(run: Run, tree: Checkout, known: StatusInput): Promise<Compiled> {
  const { source, context, cache, statusWriter, signal } = run;
  const { lastAttemptedRevision, observedGeneration } = source.status ?? {};
  const isNew = lastAttemptedRevision !== tree.revision;
  if (isNew) context.events.add(source, 'Normal', 'NewRevision', `${tree.revision} is the newest revision`);
  if (isNew || observedGeneration !== (source.metadata.generation ?? 0)) {
    await statusWriter.progress(`compiling ${tree.revision}`, known, signal);
  }
  const attempted = await timed(run, 'compile', () => compileTree(run, tree));
  cache.attempted = attempted;
  return attempted;
}

/**
 * What is applied, compiled again where this process has not done that. Undefined when it cannot be had, or when the spec of the source
 * changed meanwhile: an old revision read in a new way was reviewed by no person.
 */
export async function compileLastGood(run: Run): Promise<Compiled | undefined> {
  const { source, context, cache, signal } = run;
  const { lastAppliedRevision: revision, observedGeneration } = source.status ?? {};
  if (revision === undefined) return undefined;
  if (cache.applied?.tree.revision === revision) return cache.applied;
  if (observedGeneration !== source.metadata.generation) return undefined;
  const tree = await context.repository.checkoutPrevious(source, revision, signal);
  if (tree === undefined) return undefined;
  const again = await compileTree(run, tree);
  return again.outcome.isGood ? again : undefined;
}

/** Compiles a tree, unless that was done with the very same inputs. */
async function compileTree({ source, context, cache, signal }: Run, tree: Checkout): Promise<Compiled> {
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
  // Suppressions expire: the day is an input as well.
  const day = new Date(context.now()).toISOString().slice(0, 10);
  const { clusterTexts: _, ...settings } = request;
  const inputs = hash([tree.commit, settings, clusterDigest, VERSION, day, readRequestedAt(source)]);
  for (const known of [cache.attempted, cache.applied]) if (known?.inputs === inputs) return { ...known, tree };
  return { tree, inputs, outcome: await context.compile(request, signal) };
}

/** Value of the annotation that requests a reconcile. */
export function readRequestedAt({ metadata }: ObservedSource): string | undefined {
  return metadata.annotations?.[REQUESTED_AT_ANNOTATION];
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
