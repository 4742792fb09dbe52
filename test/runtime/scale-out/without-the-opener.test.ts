/** Replicas serve a session themselves: they forward nothing to the replica that opened the session, and deliver each answer once. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { Replicas } from './replicas.ts';
import { startAskingBackend } from './stateless-peers.ts';
import { call, disposable, openSession, post, reading, readResult } from './wire.ts';

/** The id of the question in a stream, once it is there. */
async function questionIn(read: { readonly text: string }): Promise<string> {
  return await eventually(() => /"id":"(lintel-q[\d.]+)"/.exec(read.text)?.[1]);
}

withPeers('redis-server').describe('a session that another replica has opened', () => {
  test('other replicas serve a session in full while the replica that opened it is stopped', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other, third] = replicas.urls as [string, string, string];
    const session = await openSession(one, { elicitation: {} });
    expect((await post(one, call(1, 'one_echo'), session)).status).toBe(200);
    const [opener] = replicas.replicas as [(typeof replicas.replicas)[0]];
    // It keeps its connections and answers nothing, so a request that is forwarded to it gets no answer.
    opener.program.kill('SIGSTOP');
    try {
      for (const url of [other, third]) {
        expect(await readResult(await post(url, call(2, 'one_echo', { url }), session))).toHaveProperty('result');
        for (const method of ['tools/list', 'resources/list', 'prompts/list'])
          expect(await readResult(await post(url, { id: 3, method }, session)), method).toHaveProperty('result');
        const asked = await post(url, call(4, 'one_elicit', { message: 'name?' }), session);
        const read = reading(asked.clone());
        const answer = { id: await questionIn(read), result: { action: 'accept', content: { name: 'Ada' } } };
        expect((await post(url, answer, session)).status).toBe(202);
        expect(JSON.stringify(await readResult(asked))).toContain('Ada');
      }
    } finally {
      opener.program.kill('SIGCONT');
    }
  });

  test('a backend gets the answer to its question once, although the client sends the answer to every replica', async () => {
    await using asking = await startAskingBackend();
    await using replicas = await Replicas.start({ backends: [backendPlan('a', asking.url)] });
    const [one] = replicas.urls as [string];
    const session = await openSession(one, { elicitation: {} });
    for (let round = 1; round <= 3; round++) {
      const asked = await post(one, call(round, 'a_ask'), session);
      const read = reading(asked.clone());
      const answer = { id: await questionIn(read), result: { action: 'accept', content: { round } } };
      await Promise.all(replicas.urls.map(url => post(url, answer, session)));
      expect(JSON.stringify(await readResult(asked))).toContain('accept');
      expect(asking.answers).toHaveLength(round);
    }
    // Longer than replicas wait until they send an answer again that was not acknowledged.
    await new Promise(resolve => setTimeout(resolve, 2_500));
    expect(asking.answers).toHaveLength(3);
  });
});
