/** From a source to what its cluster should have: the newest revision if it is good, else the last that was. */
import { createHash } from 'node:crypto';
import { REQUESTED_AT_ANNOTATION, VERSION } from '#schemas';
import type { CompileRequest } from '../compile/request.ts';
import type { Compiled, SourceMemory } from './memory.ts';
import type { ObservedSource, SourceTree, Surroundings } from './surroundings.ts';

/** Compiles a tree, unless that was done with the very same inputs. */
export async function compiled(
  source: ObservedSource,
  tree: SourceTree,
  around: Surroundings,
  memory: SourceMemory,
  signal: AbortSignal,
): Promise<Compiled> {
  const { digest: clusterDigest, texts } = around.clusterInputs(source);
  const { withExposure, withBundleFiles, manifests, denial } = around.output;
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
  const day = new Date(around.now()).toISOString().slice(0, 10);
  const { clusterTexts: _, ...settings } = request;
  const inputs = hash([tree.commit, settings, clusterDigest, VERSION, day, requestOf(source)]);
  for (const known of [memory.tried, memory.applied]) if (known?.inputs === inputs) return { ...known, tree };
  return { tree, inputs, outcome: await around.compile(request, signal) };
}

/**
 * What is applied, compiled again where this process has not done that. Undefined when it cannot be had, or when the spec of the source
 * changed meanwhile: an old revision read in a new way is nothing that anybody has seen.
 */
export async function lastGood(
  source: ObservedSource,
  around: Surroundings,
  memory: SourceMemory,
  signal: AbortSignal,
): Promise<Compiled | undefined> {
  const { lastAppliedRevision: revision, observedGeneration } = source.status ?? {};
  if (revision === undefined) return undefined;
  if (memory.applied?.tree.revision === revision) return memory.applied;
  if (observedGeneration !== source.metadata.generation) return undefined;
  const tree = await around.repository.earlier(source, revision, signal);
  if (tree === undefined) return undefined;
  const again = await compiled(source, tree, around, memory, signal);
  return again.outcome.isGood ? again : undefined;
}

/** Value of the annotation with which somebody asks for a run. */
export function requestOf({ metadata }: ObservedSource): string | undefined {
  return metadata.annotations?.[REQUESTED_AT_ANNOTATION];
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
