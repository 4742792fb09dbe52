/** An accepted id is returned unchanged, however the backend spells it; one that is too long is refused at once. */
import { expect, onTestFinished, test } from 'vitest';
import { MAX_ID_LENGTH } from '../../../runtime/mcp/client-limits.ts';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { ask } from '../stateless-edge/requests.ts';

const ID = 'é'.repeat(MAX_ID_LENGTH - 2);

/** JSON with every character in strings as an escape. */
const escaped = (value: unknown) =>
  JSON.stringify(value).replace(/[^"\d]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A backend of either era that answers calls like this, with an id in escapes. */
async function serve(answers: 'json' | 'events', isStateless: boolean) {
  const ran: unknown[] = [];
  const backend = await startRawServer(
    withHandshake(({ message: { id, method } }, response) => {
      const answer = (outcome: string) => `{"jsonrpc":"2.0","id":${escaped(id)},${outcome}}`;
      const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], ...IDENTITY };
      if (method === 'server/discover' && !isStateless) {
        return sendJson(response, answer('"error":{"code":-32601,"message":"Method not found"}'));
      }
      if (method === 'server/discover') return sendJson(response, answer(`"result":${JSON.stringify(discovered)}`));
      if (method !== 'tools/call') {
        return sendJson(
          response,
          answer('"result":{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}]}'),
        );
      }
      ran.push(id);
      const json = answer('"result":{"resultType":"complete","content":[]}');
      if (answers === 'json') return sendJson(response, json);
      openEvents(response);
      response.end(eventText(json));
    }, 's-1'),
  );
  onTestFinished(() => backend.close());
  const gateway = await startGateway({ backends: [backendPlan('a', `${backend.origin}/mcp`)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { gateway, ran };
}

test.each([
  ['json', false],
  ['events', false],
  ['json', true],
  ['events', true],
] as const)(
  'a client may use a request id up to the length limit at a backend that answers in %s (stateless: %s)',
  async (answers, isStateless) => {
    const { gateway, ran } = await serve(answers, isStateless);
    const raw = new RawClient(gateway.url);
    await raw.open();
    const call = (id: string) => raw.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a_t' } });
    expect(JSON.parse((await call(ID)).text)).toMatchObject({ id: ID, result: { content: [] } });
    const request = { method: 'tools/call', params: { name: 'a_t' } };
    const reply = await ask(gateway.url, { ...request, id: ID });
    const message = reply.text.startsWith('{') ? reply.text : (/^data: (.+)$/m.exec(reply.text)?.[1] ?? '');
    expect(JSON.parse(message)).toMatchObject({ id: ID, result: { content: [] } });
    expect(ran.length).toBe(2);
    expect(JSON.parse((await call(`${ID}é`)).text)).toMatchObject({ id: `${ID}é`, error: { code: -32600 } });
    expect(await ask(gateway.url, { ...request, id: `${ID}é` })).toMatchObject({ status: 400 });
    expect(ran.length).toBe(2);
  },
);
