/** Backends that elicit from the client during a step's call. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { CLIENTS } from '../bridging/matrix-clients.ts';
import { StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const meeting = (backend: string, tool = 'elicit') =>
  workflow(`
name: meet_${backend}_${tool}
description: A tool asks, and another one gets the answer
steps:
  - { id: look, tool: ${backend}_echo, arguments: { at: there } }
  - { id: meet, tool: ${backend}_${tool}, dependsOn: [look], arguments: { message: "Name?" } }
  - { id: note, tool: ${backend}_echo, dependsOn: [meet], arguments: { met: "{{ .steps.meet.output.text }}" } }
`);

const BOTH = workflow(`
name: both
description: A tool and a step ask at the same time
steps:
  - { id: meet, tool: stateless_elicit }
  - { id: ask, type: elicitation, message: "Sure?", schema: { type: object, properties: { name: { type: string } } } }
  - id: note
    tool: stateless_echo
    dependsOn: [meet, ask]
    arguments: { met: "{{ .steps.meet.output.text }}", sure: "{{ .steps.ask.output.content.name }}" }
`);

const SLASH = workflow(`
name: slash
description: The id of a step that asks is that of another step with what its tool asks
steps:
  - { id: meet, tool: stateless_elicit }
  - { id: meet/who, type: elicitation, message: "Sure?", schema: { type: object, properties: { name: { type: string } } } }
  - id: note
    tool: stateless_echo
    dependsOn: [meet, meet/who]
    arguments: { met: "{{ .steps.meet.output.text }}", sure: '{{ (index .steps "meet/who").output.content.name }}' }
`);

const EACH = workflow(`
name: each
description: A tool asks for each item
steps:
  - { id: meet, type: forEach, collection: "[1, 2]", step: { id: one, type: tool, tool: stateless_elicit } }
`);

async function start(): Promise<string> {
  const session = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => session.close());
  const stateless = await startStatelessServer();
  onTestFinished(() => stateless.close());
  const gateway = await startGateway({
    backends: [backendPlan('session', session.url), backendPlan('stateless', stateless.url)],
    workflows: [
      meeting('session'),
      meeting('stateless'),
      meeting('stateless', 'ask_twice'),
      meeting('stateless', 'wait'),
      BOTH,
      SLASH,
      EACH,
    ],
  });
  onTestFinished(() => gateway.stop());
  await servesWorkflows(gateway);
  return gateway.url;
}

test.each(CLIENTS)(
  'client %s gets the question of a tool in a workflow step, from a backend with sessions and from a stateless backend',
  async (_kind, connect) => {
    const client = await connect(await start(), 'ann');
    for (const backend of ['session', 'stateless']) {
      const { text, isError } = await client.callTool(`meet_${backend}_elicit`, {});
      expect([isError, JSON.parse(JSON.parse(text).text).met], backend).toEqual([
        false,
        expect.stringContaining('ann heard Name?'),
      ]);
    }
    await client.close();
  },
);

const ACCEPTED = (name: string) => ({ action: 'accept', content: { name } });

describe('a client without a session', () => {
  test('a stateless client gets each question of a tool in a workflow, and each step runs once', async () => {
    const client = new StatelessClient(await start());
    const name = 'meet_stateless_ask_twice';
    const first = await client.call(name, {});
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { 'meet/a': { method: 'elicitation/create', params: { message: 'First?' } } },
    });
    const { requestState } = first.result ?? {};
    const second = await client.call(name, {}, { requestState, inputResponses: { 'meet/a': ACCEPTED('bo') } });
    expect(Object.keys((second.result?.inputRequests ?? {}) as object)).toEqual(['meet/b']);
    const third = await client.call(
      name,
      {},
      { requestState: second.result?.requestState, inputResponses: { 'meet/b': ACCEPTED('bo') } },
    );
    expect(JSON.stringify(third.result?.structuredContent)).toContain('b 2 ');
  });

  test('a stateless client can continue a workflow later when a tool of a step answers input_required without a question', async () => {
    const client = new StatelessClient(await start());
    const { result } = await client.call('meet_stateless_wait', {});
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: {} });
    const done = await client.call('meet_stateless_wait', {}, { requestState: result?.requestState });
    expect(JSON.stringify(done.result?.structuredContent)).toContain('now');
  });

  test.each([
    ['gets the questions of a tool and of a workflow step together', 'both', 'ask'],
    ['distinguishes questions of a workflow by their keys, also if the ids of steps are similar', 'slash', 'meet~1who'],
  ])('a stateless client %s', async (_, name, key) => {
    const client = new StatelessClient(await start());
    const { result } = await client.call(name, {});
    expect(Object.keys((result?.inputRequests ?? {}) as object).sort()).toEqual([key, 'meet/who'].sort());
    const inputResponses = { [key]: ACCEPTED('yes'), 'meet/who': ACCEPTED('bo') };
    const done = await client.call(name, {}, { requestState: result?.requestState, inputResponses });
    const noted = JSON.parse(String((done.result?.structuredContent as { text?: unknown } | undefined)?.text));
    expect(noted).toEqual({ met: expect.stringContaining('"bo"'), sure: 'yes' });
  });

  test('a stateless client gets no questions of a tool that a forEach step calls, and the step fails', async () => {
    const client = new StatelessClient(await start());
    const { result } = await client.call('each', {});
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { workflowFailure: { step: 'meet', reason: 'refused' } },
    });
  });

  test('a stateless client without capabilities gets no question of a workflow', async () => {
    const client = new StatelessClient(await start(), {});
    const { result } = await client.call('meet_session_elicit', {});
    expect(result?.resultType).toBe('complete');
  });
});
