/** In which order kinds are applied; they are deleted the other way round. */
import { compareText } from '#schemas';
import type { ObjectKey } from '../kube/types.ts';

/** Each stage needs only what stands before it. Kinds of ours that are not named are configs, and come second. */
const STAGES: readonly (readonly string[])[] = [
  ['ServiceAccount', 'ConfigMap'],
  [
    'EmbeddingServer',
    'MCPOIDCConfig',
    'MCPExternalAuthConfig',
    'MCPAuthzConfig',
    'MCPTelemetryConfig',
    'MCPToolConfig',
  ],
  ['MCPGroup', 'MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'],
  ['VirtualMCPServer', 'MCPRegistry'],
  ['NetworkPolicy', 'Service'],
  ['Deployment', 'PodDisruptionBudget', 'StatefulSet'],
];

const STAGE_OF: ReadonlyMap<string, number> = new Map(STAGES.flatMap((kinds, at) => kinds.map(kind => [kind, at])));

export function findStage(kind: string): number {
  return STAGE_OF.get(kind) ?? 1;
}

/** The same order every time. */
export function compareForApplying(a: ObjectKey, b: ObjectKey): number {
  return (
    findStage(a.kind) - findStage(b.kind) ||
    compareText(a.kind, b.kind) ||
    compareText(a.namespace ?? '', b.namespace ?? '') ||
    compareText(a.name, b.name)
  );
}

/** What is applied together, in order. */
export function inStages<T>(items: readonly T[], kindOf: (item: T) => string): readonly (readonly T[])[] {
  const stages = STAGES.map((): T[] => []);
  for (const item of items) stages[findStage(kindOf(item))]?.push(item);
  return stages.filter(stage => stage.length > 0);
}
