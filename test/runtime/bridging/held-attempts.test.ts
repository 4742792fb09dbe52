/** A `requestState` continues only the call for which it was issued. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChangingBackend, startChangingBackend } from '../../support/changing-backend.ts';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { ask, META } from '../stateless-edge/requests.ts';

let backend: ChangingBackend;
let gateway: TestGateway;
beforeAll(async () => {
  backend = await startChangingBackend('session');
  const plans = ['a', 'b'].map(name => backendPlan(name, backend.url));
  gateway = await startGateway({ backends: plans });
  await gateway.ready();
});
afterAll(async () => {
  await gateway.stop();
  await backend.close();
});

const FORMS = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const ARGUMENTS = { nonce: 'ann', amount: 1, to: { name: 'bob', bank: 'x' }, far: 1e300, odd: '\ud800' };

async function send(method: string, params: object) {
  const { status, text } = await ask(gateway.url, { method, params: { ...params }, meta: FORMS });
  return { status, ...JSON.parse(text) };
}

async function asked() {
  const { result } = await send('tools/call', { name: 'a_elicit', arguments: ARGUMENTS });
  const [key] = Object.keys(result.inputRequests);
  return {
    requestState: result.requestState as string,
    inputResponses: { [key as string]: { action: 'accept', content: {} } },
  };
}

test.each<[string, string, { readonly name: string; readonly arguments?: object }]>([
  ['name', 'tools/call', { name: 'a_echo', arguments: ARGUMENTS }],
  ['backend', 'tools/call', { name: 'b_elicit', arguments: ARGUMENTS }],
  ['method', 'prompts/get', { name: 'a_greet', arguments: ARGUMENTS }],
  ['argument', 'tools/call', { name: 'a_elicit', arguments: { ...ARGUMENTS, amount: 1_000 } }],
  ['nested argument', 'tools/call', { name: 'a_elicit', arguments: { ...ARGUMENTS, to: { name: 'eve' } } }],
  ['number of arguments', 'tools/call', { name: 'a_elicit', arguments: { ...ARGUMENTS, more: null } }],
  ['set of arguments, namely none', 'tools/call', { name: 'a_elicit' }],
])('the gateway refuses to continue a suspended call with another %s', async (_, method, params) => {
  const attempt = await asked();
  const refused = await send(method, { ...params, ...attempt });
  expect([refused.status, refused.error?.code]).toEqual([400, -32602]);
  // The right one can still be sent.
  const { result } = await send('tools/call', { name: 'a_elicit', arguments: ARGUMENTS, ...attempt });
  expect(result.content[0].text).toBe('ann {"action":"accept","content":{}}');
});

test('a client can continue a suspended call with the members of its arguments in another order', async () => {
  const { odd, far, to, amount, nonce } = ARGUMENTS;
  const args = { odd, far, to: { bank: to.bank, name: to.name }, amount, nonce };
  const { result } = await send('tools/call', { name: 'a_elicit', arguments: args, ...(await asked()) });
  expect(result.content[0].text).toBe('ann {"action":"accept","content":{}}');
});
