/** Every replica knows which caller owns a session, and refuses it to other callers. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { withPeers } from '../../support/peers.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { Replicas } from './replicas.ts';
import { call, disposable, openSession, post } from './wire.ts';

const OPENED_AT = 0;

withPeers('redis-server').describe('a request in the session of another caller', () => {
  test.each([
    ['at the replica that holds the session', OPENED_AT],
    ['at a replica that has never served it', 2],
  ])(
    'a request of another caller in a session, sent %s, gets 403, and ends the session at every replica',
    async (_, at) => {
      await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
      await using idp = await disposable(startIdentityProvider());
      const incomingAuth = authPlan([providerPlan(idp.peer)]);
      await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)], incomingAuth });
      const as = async (sub: string) => ({ Authorization: `Bearer ${await idp.peer.issue({ claims: { sub } })}` });
      const [ann, bob] = [await as('ann'), await as('bob')];
      const session = await openSession(replicas.urls[OPENED_AT] as string, {}, ann);
      for (const url of replicas.urls.slice(0, 2)) {
        expect((await post(url, call(1, 'one_echo'), session, ann)).status).toBe(200);
      }
      expect((await post(replicas.urls[at] as string, call(2, 'one_echo'), session, bob)).status).toBe(403);
      for (const url of replicas.urls) {
        await eventually(async () => (await post(url, call(3, 'one_echo'), session, ann)).status === 404);
      }
    },
  );
});
