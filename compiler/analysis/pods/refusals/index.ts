import { checkPodContainers } from './containers.ts';
import { checkPodEnvironment } from './environment.ts';
import { checkPodMetadata } from './metadata.ts';
import { checkPodMounts } from './mounts.ts';
import type { Pod, PodRule, Refusal } from './pod.ts';
import { checkPodFields } from './pod-fields.ts';
import { checkPodPorts } from './ports.ts';
import { checkPodProbes } from './probes.ts';
import { checkRequiredMembers } from './required-members.ts';
import { checkPodResources } from './resources.ts';
import { checkPodScheduling } from './scheduling.ts';
import { checkPodSecurity } from './security.ts';
import { checkPodVolumes } from './volumes.ts';

export type { Pod, Refusal } from './pod.ts';

const RULES: readonly PodRule[] = [
  checkPodMetadata,
  checkPodFields,
  checkPodContainers,
  checkPodPorts,
  checkPodEnvironment,
  checkPodMounts,
  checkPodVolumes,
  checkPodProbes,
  checkPodResources,
  checkPodSecurity,
  checkPodScheduling,
  checkRequiredMembers,
];

/** Every error with which the API server would refuse a Deployment of this pod, beyond field types. */
export function findRefusals(pod: Pod): Refusal[] {
  return RULES.flatMap(rule => rule(pod));
}
