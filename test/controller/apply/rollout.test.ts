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
  [
    'its newest generation is not observed yet',
    deployment({ ...complete, observedGeneration: 3 }),
    two,
    'progressing',
    unseen,
  ],
  ['a new pod is missing', deployment({ ...complete, updatedReplicas: 1 }), two, 'progressing', '1 of 2 pods are new'],
  ['an old pod still exists', deployment({ ...complete, replicas: 3 }), two, 'progressing', '1 old pod still exists'],
  ['two old pods still exist', deployment({ ...complete, replicas: 4 }), two, 'progressing', '2 old pods still exist'],
  [
    'an old pod stays because no node accepts the new pod',
    deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 1 }, { replicas: 1 }),
    [
      pod('new', { isReady: false, digest: null, problem: 'no node accepts the pod: insufficient memory' }),
      pod('old', { templateDigest: OLD, digest: OLD }),
    ],
    'progressing',
    'pod new: no node accepts the pod: insufficient memory; 1 old pod still exists',
  ],
  [
    'an old pod stays because the new pod is not ready',
    deployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 1 }, { replicas: 1 }),
    [pod('new', { isReady: false, digest: null }), pod('old', { templateDigest: OLD, digest: OLD })],
    'progressing',
    'pod new is not ready yet; 1 old pod still exists',
  ],
  [
    'a pod is not ready',
    deployment({ ...complete, availableReplicas: 1 }),
    two,
    'progressing',
    '1 of 2 pods are ready',
  ],
  [
    'a pod reports why it is not ready',
    deployment({ ...complete, availableReplicas: 1 }),
    [pod('a'), pod('b', { isReady: false, digest: null, problem: 'the image cannot be pulled' })],
    'progressing',
    '1 of 2 pods are ready; pod b: the image cannot be pulled',
  ],
  ['every pod serves the bundle', deployment(complete), two, 'active', all],
  [
    'replicas is not set and one pod serves the bundle',
    deployment(single, {}),
    [pod('a')],
    'active',
    '1 of 1 pods serve the bundle',
  ],
  [
    'a ready pod serves another bundle',
    deployment(complete),
    [pod('a'), pod('b', { digest: OLD })],
    'progressing',
    '1 of 2 pods serve the bundle; pod b serves sha256:old',
  ],
  [
    'a ready pod does not answer',
    deployment(complete),
    [pod('a'), pod('b', { digest: null })],
    'progressing',
    '1 of 2 pods serve the bundle; pod b did not report which bundle it serves',
  ],
  [
    'fewer pods are known than are ready',
    deployment(complete),
    [pod('a')],
    'progressing',
    '1 of 2 pods serve the bundle',
  ],
  ['an unready pod beside', deployment(complete), [...two, pod('c', { isReady: false, digest: null })], 'active', all],
  [
    'a new pod refuses the bundle',
    deployment({ replicas: 3, updatedReplicas: 1 }),
    [refusing],
    'refused',
    'pod a refuses the bundle: format 9 is unknown',
  ],
  [
    'an old pod refused the bundle',
    deployment(complete),
    [...two, { ...refusing, templateDigest: OLD }],
    'active',
    all,
  ],
  ['replicas is 0', deployment({}, { replicas: 0 }), [], 'active', 'nothing runs: replicas is 0'],
  [
    'replicas is 0 and an old pod still exists',
    deployment({ replicas: 1 }, { replicas: 0 }),
    [],
    'progressing',
    '1 old pod still exists',
  ],
  ['a quota prevents new pods', deployment(noQuota), [], 'progressing', '0 of 2 pods are new: exceeded quota'],
])('the controller computes the rollout state of a Deployment: %s', (_, object, pods, state, message) => {
  expect(evaluateDeployment(NEW, object, pods)).toEqual({ state, message });
});
