/** Workers are killed while sessions make calls all the time: a killed worker's calls break off, and no session is lost. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { call, disposable, INITIALIZE, readResult } from '../scale-out/wire.ts';
import { oneConnection, startTree } from './worker-tree.ts';

const SESSIONS = 10;
const KILLS = 4;

test('killed workers under load lose no session, and each answer belongs to its own call', async () => {
  await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
  const post = (message: object, session?: string) =>
    oneConnection(tree.url, {
      method: 'POST',
      headers: { ...headers, ...(session === undefined ? {} : { 'Mcp-Session-Id': session }) },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const open = async () => {
    const answer = await post(INITIALIZE);
    await answer.text();
    return answer.headers.get('mcp-session-id') as string;
  };
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, open));
  const outcomes = { answered: 0, broken: 0 };
  const echo = async (session: string, id: number) => {
    const answer = await post(call(id, 'one_echo', { nonce: `${session} ${id}` }), session);
    expect(answer.status, 'the session is known').toBe(200);
    const { result } = (await readResult(answer)) as { result?: { content: { text: string }[] } };
    expect(result?.content[0]?.text).toBe(JSON.stringify({ nonce: `${session} ${id}` }));
  };
  let isOver = false;
  const calling = Promise.all(
    sessions.map(async session => {
      for (let id = 1; !isOver; id++) {
        try {
          await echo(session, id);
          outcomes.answered++;
        } catch (error) {
          // The connection of a killed worker breaks; any other failure is an error.
          if (!/ECONNRESET|socket hang up|aborted/.test((error as Error).message)) throw error;
          outcomes.broken++;
        }
      }
    }),
  ).finally(() => {
    isOver = true;
  });
  for (let at = 0; at < KILLS && !isOver; at++) {
    const { answered } = outcomes;
    await eventually(() => isOver || outcomes.answered >= answered + SESSIONS);
    const { replacedWorkers } = await tree.status();
    await tree.kill(1 + (at % 2));
    await eventually(async () => isOver || (await tree.status()).replacedWorkers > replacedWorkers);
  }
  const { answered } = outcomes;
  await eventually(() => isOver || outcomes.answered >= answered + SESSIONS);
  isOver = true;
  await calling;
  for (const session of sessions) await echo(session, 1_000_000);
  expect((await tree.status()).replacedWorkers).toBe(KILLS);
  expect(outcomes.broken, 'calls of killed workers').toBeLessThanOrEqual(KILLS * SESSIONS);
});
