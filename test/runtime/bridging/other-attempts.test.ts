/** A `requestState` names one call of a stateless client, and continues only that call. */
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../../support/gateway.ts';
import { answerList, type ScriptedCall, startScripted } from '../pass-through/scripted-backend.ts';
import { ask, META } from '../stateless-edge/requests.ts';

const LISTS = {
  'tools/list': '{"name":"ask","inputSchema":{"type":"object"}},{"name":"other","inputSchema":{"type":"object"}}',
  'prompts/list': '{"name":"ask"}',
  'resources/list': '{"uri":"x://ask","name":"ask"},{"uri":"x://other","name":"other"}',
};
const QUESTION =
  '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}';
const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };

/** A gateway with a session backend that sends a request to its client during each call, and responds when that is answered. */
async function startAsking() {
  const calls: ScriptedCall[] = [];
  const backend = await startScripted('a', 'events', call => {
    if (answerList(call, LISTS)) return;
    calls.push(call);
    call.say(QUESTION);
    const isAnswer = ({ message }: { message?: { id?: unknown; result?: unknown } }) =>
      message?.id === 1 && message.result !== undefined;
    void backend.waitFor(isAnswer).then(
      () => call.answer('"result":{"done":true}'),
      () => {},
    );
  });
  const gateway = await startGateway({ backends: [backend.plan] });
  onTestFinished(async () => {
    await gateway.stop();
    await backend.close();
  });
  const attempt = async (method: string, params: object) => {
    const { status, text } = await ask(gateway.url, { method, params: { ...params }, meta });
    return { status, ...(JSON.parse(text) as { result?: Record<string, unknown>; error?: { code: number } }) };
  };
  return { calls, attempt };
}

test.each([
  ['another tool', 'tools/call', { name: 'a_ask' }, 'tools/call', { name: 'a_other' }],
  ['a prompt of the same name', 'tools/call', { name: 'a_ask' }, 'prompts/get', { name: 'a_ask' }],
  ['a tool of the same name', 'prompts/get', { name: 'a_ask' }, 'tools/call', { name: 'a_ask' }],
  ['another resource', 'resources/read', { uri: 'x://ask' }, 'resources/read', { uri: 'x://other' }],
])(
  'the gateway refuses to continue a suspended call with %s, and the right continuation still succeeds',
  async (_, method, params, other, otherParams) => {
    const { calls, attempt } = await startAsking();
    const { result } = await attempt(method, params);
    expect(result).toMatchObject({ resultType: 'input_required' });
    const answers = { requestState: result?.requestState, inputResponses: { q1: { action: 'accept', content: {} } } };
    expect(await attempt(other, { ...otherParams, ...answers })).toMatchObject({
      status: 400,
      error: { code: -32602 },
    });
    // The backend has received neither another call nor an answer.
    expect(calls.map(call => call.message.method)).toEqual([method]);
    expect(await attempt(method, { ...params, ...answers })).toMatchObject({ result: { done: true } });
    expect(calls).toHaveLength(1);
    // It was used already.
    expect(await attempt(method, { ...params, ...answers })).toMatchObject({ status: 400, error: { code: -32602 } });
  },
);
