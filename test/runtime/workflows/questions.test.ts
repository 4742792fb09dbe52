/** Workflows with elicitations: in sessions on the stream of the call, otherwise through `input_required` and the next attempt. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Logger } from '#runtime';
import { type BundleOptions, backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
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

let calls: () => readonly unknown[] = () => [];

async function start(more: Partial<BundleOptions> = {}, log?: Logger): Promise<TestGateway> {
  const [session, stateless] = await Promise.all([
    startSdkServer({ transport: 'streamable-http' }),
    startStatelessServer(),
  ]);
  closing.push(
    () => session.close(),
    () => stateless.close(),
  );
  calls = () => stateless.requests.filter(({ method }) => method === 'tools/call');
  const backends = [backendPlan('session', session.url), backendPlan('stateless', stateless.url)];
  const workflows = [asking('session'), asking('stateless')];
  const gateway = await startGateway({ backends, workflows, ...more }, log);
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

  test('a stateless client cannot continue a workflow with other arguments, another workflow or another requestState', async () => {
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
});

describe('a client that cannot show questions', () => {
  const QUESTION = 'message: "Sure?", schema: { type: object }';
  const guarded = (name: string, ...steps: readonly string[]) =>
    workflow(`
name: ${name}
description: Writes, and asks
steps:
  - { id: write, tool: stateless_echo }
${steps.map(step => `  - { ${step} }`).join('\n')}
`);
  const ask = (id: string, after: string, more = '') =>
    `id: ${id}, type: elicitation, dependsOn: [${after}], ${QUESTION}${more && `, ${more}`}`;

  const CERTAIN = [
    guarded('plain', ask('ask', 'write')),
    // The second question could skip the rest, but it comes after the first.
    guarded('skips_later', ask('ask', 'write'), ask('again', 'ask', 'onCancel: { action: skip_remaining }')),
    // A refusal of the other question changes nothing.
    guarded('goes_on', ask('other', 'write', 'onDecline: { action: continue }'), ask('ask', 'write')),
  ];

  test.each(CERTAIN.map(({ name }) => name))(
    'a workflow whose client cannot be asked fails before the first step: %s',
    async name => {
      const { log, lines } = listeningLog();
      const gateway = await start({ workflows: CERTAIN }, log);
      const session = await gateway.connect();
      const results = [
        (await new StatelessClient(gateway.url, {}).call(name, {})).result,
        await session.callTool({ name, arguments: {} }),
      ];
      for (const result of results) {
        expect(result).toMatchObject({
          isError: true,
          content: [
            {
              text: expect.stringMatching(
                /^Workflow execution failed: step "ask": a person has to answer a question, and this client cannot show questions\. Steps not started: "write", /,
              ),
            },
          ],
          structuredContent: { workflowFailure: { reason: 'cannot_ask', step: 'ask' } },
        });
        const logged = lines.filter(({ run }) => run !== undefined && JSON.stringify(result).includes(String(run)));
        expect(logged).toMatchObject([{ workflow: name, reason: 'cannot_ask' }]);
      }
      expect(calls()).toEqual([]);
    },
  );

  test.each<[what: string, step: string, end: object]>([
    ['a question with a condition', ask('ask', 'write', 'condition: "true"'), { workflowFailure: { step: 'ask' } }],
    ['onCancel: skip_remaining', ask('ask', 'write', 'onCancel: { action: skip_remaining }'), { action: 'cancel' }],
    ['onCancel: continue', ask('ask', 'write', 'onCancel: { action: continue }'), { action: 'cancel' }],
    ['onDecline: skip_remaining', ask('ask', 'write', 'onDecline: { action: skip_remaining }'), { action: 'decline' }],
    ['onDecline: continue', ask('ask', 'write', 'onDecline: { action: continue }'), { action: 'decline' }],
  ])('a workflow whose client cannot be asked runs until its question: %s', async (_, step, end) => {
    const gateway = await start({ workflows: [guarded('guarded', step)] });
    const { result } = await new StatelessClient(gateway.url, {}).call('guarded', {});
    expect(result).toMatchObject({ structuredContent: end });
    expect(calls()).toHaveLength(1);
  });

  test('a workflow that a client continues without the elicitation capability fails at its next question, and says which steps were done', async () => {
    const twice = guarded('twice', ask('ask', 'write'), ask('again', 'ask'));
    const gateway = await start({ workflows: [twice] });
    const { result } = await new StatelessClient(gateway.url).call('twice', {});
    const answers = { requestState: result?.requestState, inputResponses: { ask: { action: 'accept', content: {} } } };
    const ended = await new StatelessClient(gateway.url, {}).call('twice', {}, answers);
    expect(ended.result).toMatchObject({
      isError: true,
      structuredContent: {
        workflowFailure: {
          reason: 'cannot_ask',
          steps: [
            { step: 'write', outcome: 'done' },
            { step: 'ask', outcome: 'done' },
            { step: 'again', outcome: 'failed' },
          ],
        },
      },
    });
  });
});
