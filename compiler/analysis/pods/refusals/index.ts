import { podContainers } from './containers.ts';
import { podEnvironment } from './environment.ts';
import { podMetadata } from './metadata.ts';
import { podMounts } from './mounts.ts';
import type { Pod, PodRule, Refusal } from './pod.ts';
import { podFields } from './pod-fields.ts';
import { podPorts } from './ports.ts';
import { podProbes } from './probes.ts';
import { requiredMembers } from './required-members.ts';
import { podResources } from './resources.ts';
import { podScheduling } from './scheduling.ts';
import { podSecurity } from './security.ts';
import { podVolumes } from './volumes.ts';

export type { Pod, Refusal } from './pod.ts';

const RULES: readonly PodRule[] = [
  podMetadata,
  podFields,
  podContainers,
  podPorts,
  podEnvironment,
  podMounts,
  podVolumes,
  podProbes,
  podResources,
  podSecurity,
  podScheduling,
  requiredMembers,
];

/** Every error with which the API server would refuse a Deployment of this pod, beyond field types. */
export function findRefusals(pod: Pod): Refusal[] {
  return RULES.flatMap(rule => rule(pod));
}
