/** Workflows with elicitations: in sessions on the stream of the call, otherwise through `input_required` and the next attempt. */
import { afterEach, describe, expect, test } from 'vitest';
import { type BundleOptions, backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { CLIENTS } from '../bridging/matrix-clients.ts';
import { StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const asking = (backend: string, more = '') =>
  workflow(`
name: release_${backend}
description: Asks before it writes
parameters: { type: object, properties: { version: { type: string } } }
steps:
  - { id: look, tool: ${backend}_echo, arguments: { version: "{{ .params.version }}" } }
  - id: ask
    type: elicitation
    dependsOn: [look]
    message: "Release {{ .params.version }}?"
    schema: { type: object, properties: { name: { type: string } } }
    ${more}
  - { id: write, tool: ${backend}_echo, dependsOn: [ask], arguments: { by: "{{ .steps.ask.output.content.name }}" } }
`);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(more: Partial<BundleOptions> = {}): Promise<TestGateway> {
  const [session, stateless] = await Promise.all([
    startSdkServer({ transport: 'streamable-http' }),
    startStatelessServer(),
  ]);
  closing.push(
    () => session.close(),
    () => stateless.close(),
  );
  const backends = [backendPlan('session', session.url), backendPlan('stateless', stateless.url)];
  const gateway = await startGateway({
    backends,
    workflows: [asking('session'), asking('stateless')],
    ...more,
  });
  closing.push(() => gateway.stop());
  await servesWorkflows(gateway);
  return gateway;
}

describe.each(CLIENTS)('client %s', (_kind, connect) => {
  test('a workflow asks its client a question, over a backend with sessions and over a stateless backend', async () => {
    const gateway = await start();
    const client = await connect(gateway.url, 'ann');
    for (const backend of ['session', 'stateless']) {
      const { text, isError } = await client.callTool(`release_${backend}`, { version: '1.2' });
      expect([isError, JSON.parse(JSON.parse(text).text)]).toEqual([false, { by: 'ann heard Release 1.2?' }]);
    }
    expect(
      (await gateway.status()).workflows?.map(({ running, asking, waiting }) => [running, asking, waiting]),
    ).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    await client.close();
  });
});

const ACCEPTED = { ask: { action: 'accept', content: { name: 'bo' } } };
const NAME = 'release_stateless';
const ARGUMENTS = { version: '2' };

describe('a client without a session', () => {
  test('a stateless client can answer a question of a workflow once, and a second answer is refused', async () => {
    const gateway = await start();
    const client = new StatelessClient(gateway.url);
    const asked = await client.call(NAME, ARGUMENTS);
    expect(asked.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { ask: { method: 'elicitation/create', params: { message: 'Release 2?' } } },
    });
    expect((await gateway.status()).workflows?.find(({ name }) => name === NAME)).toMatchObject({ waiting: 1 });
    const answers = { requestState: asked.result?.requestState, inputResponses: ACCEPTED };
    const both = await Promise.all([client.call(NAME, ARGUMENTS, answers), client.call(NAME, ARGUMENTS, answers)]);
    expect(both.map(({ result, error }) => result?.resultType ?? error?.code).sort()).toEqual([-32602, 'complete']);
  });

  test('a stateless client that sends no answer gets the question of a workflow again', async () => {
    const gateway = await start();
    const client = new StatelessClient(gateway.url);
    const first = await client.call(NAME, ARGUMENTS);
    const again = await client.call(NAME, ARGUMENTS, { requestState: first.result?.requestState });
    expect(again.result?.resultType).toBe('input_required');
    expect(again.result?.requestState).not.toBe(first.result?.requestState);
  });

  test('a stateless client cannot continue a workflow with other arguments, another workflow or another state', async () => {
    const gateway = await start();
    const client = new StatelessClient(gateway.url);
    const { result } = await client.call(NAME, ARGUMENTS);
    const answers = { requestState: result?.requestState, inputResponses: ACCEPTED };
    const refused = [
      await client.call(NAME, { version: '3' }, answers),
      await client.call('release_session', ARGUMENTS, answers),
      await client.call(NAME, ARGUMENTS, { ...answers, requestState: 'lintel-w.AAAA' }),
      await client.call(NAME, ARGUMENTS, { ...answers, requestState: 'x' }),
    ];
    expect(refused.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602, -32602]);
    expect((await client.call(NAME, ARGUMENTS, answers)).result).toMatchObject({ resultType: 'complete' });
  });

  test.each([
    ['declines the question', { action: 'decline' }, 'declined'],
    ['dismisses the question', { action: 'cancel' }, 'dismissed'],
    ['sends an empty answer', {}, 'invalid_answer'],
  ])('a stateless client that %s learns which steps of the workflow were done', async (_, answer, reason) => {
    const client = new StatelessClient((await start()).url);
    const { result } = await client.call(NAME, ARGUMENTS);
    const ended = await client.call(NAME, ARGUMENTS, {
      requestState: result?.requestState,
      inputResponses: { ask: answer },
    });
    expect(ended.result).toMatchObject({
      isError: true,
      structuredContent: {
        workflowFailure: {
          reason,
          step: 'ask',
          steps: [
            { step: 'look', outcome: 'done', tool: 'echo' },
            { step: 'ask', outcome: 'failed' },
            { step: 'write', outcome: 'not_started' },
          ],
        },
      },
    });
  });

  test('a workflow whose client cannot be asked fails before the first step', async () => {
    const client = new StatelessClient((await start()).url, {});
    const { result } = await client.call(NAME, ARGUMENTS);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { workflowFailure: { reason: 'cannot_ask', steps: [{ outcome: 'not_started' }, {}, {}] } },
    });
  });

  test('a workflow whose client cannot be asked takes the onCancel route of the step', async () => {
    const workflows = [asking('stateless', 'onCancel: { action: skip_remaining }')];
    const client = new StatelessClient((await start({ workflows })).url, {});
    const { result } = await client.call(NAME, ARGUMENTS);
    expect(result).toMatchObject({ structuredContent: { action: 'cancel', skipped: true } });
  });
});
