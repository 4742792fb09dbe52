/** Workflows with policies: the name of the workflow decides, and an answer is only accepted from the caller that got the elicitation. */
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { Gateway } from '../../../runtime/gateway/gateway.ts';
import { createRequestHandler } from '../../../runtime/gateway/sessions/requests.ts';
import { createStatelessHandler } from '../../../runtime/gateway/stateless/requests.ts';
import { startListener } from '../../../runtime/http/listener.ts';
import { createMcpEndpoint } from '../../../runtime/mcp/streamable-http/endpoint.ts';
import { backendPlan, FIRST_LIST_WAIT_MS, gatewayBundle } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { atOnce, bearer } from '../edge-auth/tokens.ts';
import { StatelessClient } from './stateless-client.ts';
import { workflow } from './support.ts';

const ASKING = workflow(`
name: asking
description: Asks, then calls
parameters: { type: object, properties: { amount: { type: integer } } }
steps:
  - { id: ask, type: elicitation, message: "Go on?", schema: { type: object, properties: { name: { type: string } } } }
  - { id: last, tool: one_echo, dependsOn: [ask], arguments: { done: "yes" } }
`);

async function start(policies: readonly string[]) {
  const one = await startSdkServer({ transport: 'streamable-http' });
  const log = createLogger('silent');
  const authorization = cedarPlan(policies);
  const bundle = gatewayBundle({ backends: [backendPlan('one', one.url)], authorization, workflows: [ASKING] });
  const gateway = new Gateway(bundle, createAuthorizer(authorization, log), {
    version: 'test',
    log,
    firstListWaitMs: FIRST_LIST_WAIT_MS,
  });
  const endpoint = createMcpEndpoint(createRequestHandler(gateway), createStatelessHandler(gateway), {
    log,
    authenticator: atOnce,
  });
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: new Map([['/mcp', endpoint.handle]]),
    log,
    onDrain: () => endpoint.endStreams(),
  });
  onTestFinished(async () => {
    await listener.close(0);
    endpoint.close();
    await gateway.close();
    await one.close();
  });
  await gateway.start();
  await gateway.settled();
  const url = `http://127.0.0.1:${listener.address.port}/mcp`;
  return (sub: string) => new StatelessClient(url, { elicitation: {} }, { authorization: bearer({ sub }) });
}

const PERMIT = 'permit(principal, action == Action::"call_tool", resource == Tool::"asking");';
const answers = (requestState: string | undefined) => ({
  requestState,
  inputResponses: { ask: { action: 'accept', content: { name: 'x' } } },
});

test('a caller who may call the workflow but not its tools can run it, and other callers do not see it', async () => {
  const as = await start([`${PERMIT.slice(0, -1)} when { principal.claim_sub == "ann" };`]);
  expect((await as('ann').call('one_echo', {})).error?.code).toBe(-32602);
  const asked = await as('ann').call('asking', {});
  expect(asked.result?.resultType).toBe('input_required');
  expect((await as('ann').call('asking', {}, answers(asked.result?.requestState))).result).toMatchObject({
    structuredContent: { text: '{"done":"yes"}' },
  });
  expect((await as('ben').call('asking', {})).error).toMatchObject({ code: -32602, message: 'unknown tool "asking"' });
});

test('a workflow refuses the answer of another caller, and accepts that of the caller who was asked', async () => {
  const as = await start([PERMIT]);
  const { result } = await as('ann').call('asking', { amount: 1 });
  expect((await as('ben').call('asking', { amount: 1 }, answers(result?.requestState))).error?.code).toBe(-32602);
  expect((await as('ann').call('asking', { amount: 1 }, answers(result?.requestState))).result?.resultType).toBe(
    'complete',
  );
});
