import { expect, test } from 'vitest';
import { evaluateDeployment } from '../../../controller/apply/deployment-health.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { PodReport } from '../../../controller/pods/index.ts';

const NEW = 'sha256:new';
const OLD = 'sha256:old';

const deployment = (status: object, spec: object = { replicas: 2 }): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'g', namespace: 'ns', generation: 4 },
  spec,
  status: { observedGeneration: 4, ...status },
});

const pod = (name: string, report: Partial<PodReport> = {}): PodReport => ({
  name,
  uid: name,
  isReady: true,
  templateDigest: NEW,
  digest: NEW,
  refused: null,
  problem: null,
  isStuck: false,
  failsRequests: false,
  backends: [],
  ...report,
});

const complete = { replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const single = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const noQuota = { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] };
const two = [pod('a'), pod('b')];
const all = '2 of 2 pods serve the bundle';
const unseen = 'Kubernetes has not processed the Deployment yet';
const refusing = pod('a', { isReady: false, digest: null, refused: 'format 9 is unknown' });

test.each<[string, KubeObject, readonly PodReport[], string, string]>([
  ['unseen generation', deployment({ ...complete, observedGeneration: 3 }), two, 'progressing', unseen],
  ['new pods missing', deployment({ ...complete, updatedReplicas: 1 }), two, 'progressing', '1 of 2 pods are new'],
  ['old pods left', deployment({ ...complete, replicas: 3 }), two, 'progressing', '1 old pod still exists'],
  ['several old pods left', deployment({ ...complete, replicas: 4 }), two, 'progressing', '2 old pods still exist'],
  [
    'an old pod that stays because no node takes the new one',
    deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 1 }, { replicas: 1 }),
    [
      pod('new', { isReady: false, digest: null, problem: 'no node accepts the pod: insufficient memory' }),
      pod('old', { templateDigest: OLD, digest: OLD }),
    ],
    'progressing',
    'pod new: no node accepts the pod: insufficient memory; 1 old pod still exists',
  ],
  [
    'an old pod that stays because the new one is not ready',
    deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 1 }, { replicas: 1 }),
    [pod('new', { isReady: false, digest: null }), pod('old', { templateDigest: OLD, digest: OLD })],
    'progressing',
    'pod new is not ready yet; 1 old pod still exists',
  ],
  ['unready pods', deployment({ ...complete, availableReplicas: 1 }), two, 'progressing', '1 of 2 pods are ready'],
  [
    'a pod that says why it is not ready',
    deployment({ ...complete, availableReplicas: 1 }),
    [pod('a'), pod('b', { isReady: false, digest: null, problem: 'the image cannot be pulled' })],
    'progressing',
    '1 of 2 pods are ready; pod b: the image cannot be pulled',
  ],
  ['every pod serving', deployment(complete), two, 'active', all],
  ['one pod by default', deployment(single, {}), [pod('a')], 'active', '1 of 1 pods serve the bundle'],
  [
    'a ready pod with another bundle',
    deployment(complete),
    [pod('a'), pod('b', { digest: OLD })],
    'progressing',
    '1 of 2 pods serve the bundle; pod b serves sha256:old',
  ],
  [
    'a ready pod that does not answer',
    deployment(complete),
    [pod('a'), pod('b', { digest: null })],
    'progressing',
    '1 of 2 pods serve the bundle; pod b did not report which bundle it serves',
  ],
  ['fewer pods known than ready', deployment(complete), [pod('a')], 'progressing', '1 of 2 pods serve the bundle'],
  ['an unready pod beside', deployment(complete), [...two, pod('c', { isReady: false, digest: null })], 'active', all],
  [
    'a new pod that refuses',
    deployment({ replicas: 3, updatedReplicas: 1 }),
    [refusing],
    'refused',
    'pod a refuses the bundle: format 9 is unknown',
  ],
  ['an old pod that refused', deployment(complete), [...two, { ...refusing, templateDigest: OLD }], 'active', all],
  ['no pods wanted', deployment({}, { replicas: 0 }), [], 'active', 'nothing runs: replicas is 0'],
  [
    'no pods wanted and some left',
    deployment({ replicas: 1 }, { replicas: 0 }),
    [],
    'progressing',
    '1 old pod still exists',
  ],
  ['pods that cannot be made', deployment(noQuota), [], 'progressing', '0 of 2 pods are new: exceeded quota'],
])('%s', (_, object, pods, state, message) => {
  expect(evaluateDeployment(NEW, object, pods)).toEqual({ state, message });
});
