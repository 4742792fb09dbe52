/** The status of a MCPRegistry. */
import type { Condition, MCPRegistryStatus } from '#schemas';
import { setCondition } from '../conditions.ts';
import { createBundleActiveCondition, createCompiledCondition } from './bundle-conditions.ts';
import { withoutReadyPods } from './phase.ts';
import { listReadyPods, type UntimedCondition, type WorkloadStatusInput } from './status-input.ts';

export interface RegistryStatusInput extends WorkloadStatusInput {
  /** Whether the object is being deleted. */
  readonly isTerminating: boolean;
}

/** All condition types that the controller sets. */
export const REGISTRY_CONDITIONS: readonly string[] = ['Ready', 'Compiled', 'BundleActive'];

/** Pure: the same input and the same `before` give the same status. Conditions that other clients set are left out. */
export function computeRegistryStatus(input: RegistryStatusInput, before: MCPRegistryStatus = {}): MCPRegistryStatus {
  const { compiled, generation, now, url, unit, deployment } = input;
  const own = (before.conditions ?? []).filter(({ type }) => REGISTRY_CONDITIONS.includes(type));
  if (compiled === undefined && before.observedGeneration !== generation) return selectOwnRegistryStatus(before);
  const count = listReadyPods(input.pods).length;
  const { phase, message } = computePhase(input, count);
  const ready: UntimedCondition =
    phase === 'Ready'
      ? { type: 'Ready', status: 'True', reason: 'Ready', message }
      : { type: 'Ready', status: 'False', reason: 'NotReady', message };
  const computed = [ready, createBundleActiveCondition(input), ...[createCompiledCondition(compiled) ?? []].flat()];
  return {
    phase,
    message,
    ...(unit === undefined && before.url === undefined ? {} : { url }),
    ...(deployment === undefined ? {} : { readyReplicas: count }),
    observedGeneration: generation,
    conditions: computed.reduce<readonly Condition[]>(
      (list, condition) => setCondition(list, condition, { generation, now }),
      own,
    ),
  };
}

/** The fields of a current status that this controller writes. */
export function selectOwnRegistryStatus(status: MCPRegistryStatus): MCPRegistryStatus {
  const { conditions } = status;
  if (conditions === undefined) return status;
  return { ...status, conditions: conditions.filter(({ type }) => REGISTRY_CONDITIONS.includes(type)) };
}

function computePhase(
  input: RegistryStatusInput,
  count: number,
): { readonly phase: NonNullable<MCPRegistryStatus['phase']>; readonly message: string } {
  if (input.isTerminating) return { phase: 'Terminating', message: 'Being deleted' };
  if (count > 0) return { phase: 'Ready', message: count === 1 ? '1 ready pod' : `${count} ready pods` };
  const { phase, message } = withoutReadyPods(input);
  return { phase: phase === 'Failed' ? 'Failed' : 'Pending', message };
}
