/** A delivery that reaches a controller which is not the leader: it only annotates the source. */
import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { receiveWebhooks } from '../../../controller/cluster/webhooks.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { createLogger } from '../../../controller/observe/index.ts';
import { digestOfVersion, World } from '../../support/reconcile-world.ts';

const SECRET = 'secret-of-gateways';
const BODY = '{"ref":"refs/heads/main"}';

test('a webhook call makes the controller fetch the source at once, but not deploy a bundle that a runtime has refused', async () => {
  const world = new World();
  const [one, two] = [digestOfVersion('1'), digestOfVersion('2')];
  world.edit({ webhook: { secretRef: { name: 'hook' } } });
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(two, { state: 'refused', message: 'needs a newer runtime' });
  world.commit({ eng: '2' });
  await world.reconcile();
  expect(world.status.gateways).toMatchObject([{ digest: one, heldDigest: two }]);

  const patched = Promise.withResolvers<void>();
  const receiver = await receiveWebhooks({
    address: { host: '127.0.0.1', port: 0 },
    client: {
      patch: async (_, patch) => {
        const { annotations } = (patch as KubeObject).metadata;
        world.metadata = { ...world.metadata, annotations: { ...world.metadata.annotations, ...annotations } };
        patched.resolve();
        return world.source() as unknown as KubeObject;
      },
    },
    sources: { get: () => world.source() } as never,
    accounts: { findSecret: async () => ({ token: SECRET }) } as never,
    add: () => false,
    log: createLogger('silent'),
    onDelivery: () => {},
  });
  onTestFinished(() => receiver.close());
  const signature = createHmac('sha256', SECRET).update(BODY).digest('hex');
  const { status } = await fetch(`http://127.0.0.1:${receiver.address.port}/hook/team/source`, {
    method: 'POST',
    headers: { 'x-hub-signature-256': `sha256=${signature}` },
    body: BODY,
  });
  expect(status).toBe(202);
  await patched.promise;
  // The leader's watch sees a change now.
  expect(Object.keys(world.metadata.annotations ?? {})).toHaveLength(1);

  await world.reconcile();
  expect(world.done.filter(step => /^(compile|apply)/.test(step))).toEqual([]);
  expect(world.running()).toEqual({ eng: one });
  expect(world.status.gateways).toMatchObject([{ digest: one, heldDigest: two }]);
  expect(world.status).not.toHaveProperty('lastHandledReconcileAt');
  expect(world.invariants.violations).toEqual([]);
});
