import type { Manifest } from '../manifest.ts';
import { change, changed, each, fill, filled, steps } from './fill.ts';
import { podDefaults } from './pod.ts';
import { resources } from './references.ts';

/** @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/stateful-set-v1/ */
export function fillStatefulSetDefaults(set: Manifest): Manifest {
  const spec = fill(set.spec, {
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  });
  const volumeClaimTemplates = each(
    steps(
      filled({ status: { phase: 'Pending' } }),
      changed({ spec: steps(filled({ volumeMode: 'Filesystem' }), changed({ resources })) }),
    ),
  );
  return { ...set, spec: change(spec, { template: changed({ spec: podDefaults }), volumeClaimTemplates }) };
}
