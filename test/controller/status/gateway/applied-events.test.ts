import { expect, test } from 'vitest';
import { createAppliedEvent } from '../../../../controller/status/index.ts';

type Action = 'create' | 'configure' | 'recreate';

test.each<[action: Action, kind: string, error: string | undefined, event: string | undefined]>([
  ['create', 'Deployment', undefined, 'Normal DeploymentCreated Deployment eng was created'],
  ['recreate', 'Deployment', undefined, 'Normal DeploymentCreated Deployment eng was created'],
  ['configure', 'Deployment', undefined, 'Normal DeploymentUpdated Deployment eng was updated'],
  ['create', 'Deployment', 'over quota', 'Warning DeploymentCreationFailed over quota'],
  ['recreate', 'Deployment', 'over quota', 'Warning DeploymentCreationFailed over quota'],
  ['configure', 'Deployment', 'over quota', 'Warning DeploymentUpdateFailed over quota'],
  ['create', 'Service', undefined, 'Normal ServiceCreated Service eng was created'],
  ['recreate', 'Service', undefined, 'Normal ServiceCreated Service eng was created'],
  ['configure', 'Service', undefined, undefined],
  ['create', 'Service', 'no address is left', 'Warning ServiceCreationFailed no address is left'],
  ['configure', 'Service', 'no address is left', undefined],
  ['create', 'ConfigMap', undefined, undefined],
  ['create', 'ConfigMap', 'over quota', undefined],
])(
  'the action %s of the controller on a %s with the error %j gives the expected event',
  (action, kind, error, event) => {
    const found = createAppliedEvent(
      { action, object: { kind, metadata: { name: 'eng' } } },
      error === undefined ? undefined : new Error(error),
    );
    expect(found && `${found.type} ${found.reason} ${found.message}`).toBe(event);
  },
);
