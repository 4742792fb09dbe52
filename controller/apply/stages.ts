/** The order in which kinds are applied; deletion uses the reverse order. */
import { compareText } from '#schemas';
import type { ObjectKey } from '../kube/types.ts';

/** Objects of a stage depend only on objects of earlier stages. Lintel's kinds that are not listed are configs and belong to the second stage. */
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

/** A total order, so that runs are reproducible. */
export function compareForApplying(a: ObjectKey, b: ObjectKey): number {
  return (
    findStage(a.kind) - findStage(b.kind) ||
    compareText(a.kind, b.kind) ||
    compareText(a.namespace ?? '', b.namespace ?? '') ||
    compareText(a.name, b.name)
  );
}

/** Groups items by stage, in the order of the stages. */
export function splitIntoStages<T>(items: readonly T[], kindOf: (item: T) => string): readonly (readonly T[])[] {
  const stages = STAGES.map((): T[] => []);
  for (const item of items) stages[findStage(kindOf(item))]?.push(item);
  return stages.filter(stage => stage.length > 0);
}
