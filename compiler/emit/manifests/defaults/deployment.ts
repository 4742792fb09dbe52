import type { Manifest } from '../manifest.ts';
import { change, changed, fill } from './fill.ts';
import { podDefaults } from './pod.ts';

/** @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/ */
export function fillDeploymentDefaults(deployment: Manifest): Manifest {
  const spec = fill(deployment.spec, {
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  return { ...deployment, spec: change(spec, { template: changed({ spec: podDefaults }) }) };
}
