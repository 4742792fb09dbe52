/** What the audit log contains of workflows. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startAudited } from '../audit/audited-gateway.ts';
import { StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const STORY = workflow(`
name: story
description: Calls, leaves out, asks, fails
parameters: { type: object, properties: { secret: { type: string } } }
steps:
  - { id: first, tool: one_echo, arguments: { secret: "{{ .params.secret }}" } }
  - { id: out, tool: one_echo, dependsOn: [first], condition: "false" }
  - { id: ask, type: elicitation, dependsOn: [out], message: "Sure?", schema: { type: object, properties: { name: { type: string } } } }
  - { id: broken, tool: one_fail, dependsOn: [ask] }
`);

test('each workflow run and each step has its audit records once, also over two requests of a client', async () => {
  const one = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => one.close());
  const { gateway, records, text } = await startAudited({
    backends: [backendPlan('one', one.url)],
    workflows: [STORY],
  });
  await gateway.ready();
  const client = new StatelessClient(gateway.url);
  const asked = await client.call('story', { secret: 'words-of-a-person' });
  const inputResponses = { ask: { action: 'accept', content: { name: 'private-answer' } } };
  await client.call(
    'story',
    { secret: 'words-of-a-person' },
    { requestState: asked.result?.requestState, inputResponses },
  );
  await gateway.stop();
  const events = (await records()).filter(({ type }) => type.startsWith('vmcp_'));
  expect(
    events.map(({ type, outcome, target }) => [type.slice('vmcp_workflow_'.length), target.step_id, outcome]),
  ).toEqual([
    ['started', undefined, 'success'],
    ['step_started', 'first', 'success'],
    ['step_completed', 'first', 'success'],
    ['step_skipped', 'out', 'success'],
    ['step_started', 'ask', 'success'],
    ['step_started', 'ask', 'success'],
    ['step_completed', 'ask', 'success'],
    ['step_started', 'broken', 'success'],
    ['step_failed', 'broken', 'failure'],
    ['failed', undefined, 'failure'],
  ]);
  expect(new Set(events.map(({ target }) => target.workflow_id)).size).toBe(1);
  expect(events.at(-2)).toMatchObject({
    target: { type: 'workflow_step', workflow_name: 'story', step_type: 'tool', tool_name: 'fail' },
    metadata: { extra: { backend_name: 'one', failure_reason: 'tool_error' } },
  });
  expect(await text()).not.toMatch(/words-of-a-person|private-answer/);
});

const QUESTION = workflow(`
name: question
description: Asks
timeout: 1s
steps:
  - { id: ask, type: elicitation, message: "Sure?", schema: { type: object, properties: {} } }
`);

test('a workflow run whose client does not return ends with an audit record of the caller, without data of the request', async () => {
  const one = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => one.close());
  const { gateway, records } = await startAudited({ backends: [backendPlan('one', one.url)], workflows: [QUESTION] });
  await gateway.ready();
  const { result } = await new StatelessClient(gateway.url).call('question', {});
  expect(result?.resultType).toBe('input_required');
  await eventually(async () => (await gateway.status()).workflows?.[0]?.waiting === 0);
  const page = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
  expect(page).toMatch(/^lintel_vmcp_workflow_errors_total\{.*workflow_name="question".*\} 1$/m);
  await gateway.stop();
  const events = (await records()).filter(({ type }) => type.startsWith('vmcp_'));
  expect(events.at(-1)).toMatchObject({
    type: 'vmcp_workflow_timed_out',
    outcome: 'failure',
    source: { value: '127.0.0.1' },
    subjects: { user: 'anonymous', client_name: 'test' },
    target: { workflow_name: 'question', workflow_id: events[0]?.target.workflow_id },
    metadata: { extra: { failure_reason: 'expired' } },
  });
});

const DONE = workflow(`
name: done
description: Calls
timeout: 90s
steps:
  - { id: first, tool: one_echo }
  - { id: last, tool: one_echo, dependsOn: [first] }
`);

test('the audit records of a workflow run have the number of steps, the timeout, the duration and the cause of a failure', async () => {
  const one = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => one.close());
  const workflows = [DONE, QUESTION];
  const { gateway, records } = await startAudited({ backends: [backendPlan('one', one.url)], workflows });
  await servesWorkflows(gateway);
  await new StatelessClient(gateway.url).call('done', {});
  await new StatelessClient(gateway.url, {}).call('question', {});
  await gateway.stop();
  const events = (await records()).filter(({ target }) => target.type === 'workflow');
  const told = events.map(({ type, outcome, target, metadata: { extra } }) => {
    const { bundle_digest: _, ...rest } = extra;
    return [type, outcome, target.name, rest];
  });
  expect(told).toEqual([
    ['vmcp_workflow_started', 'success', 'done', { step_count: 2, timeout_ms: 90_000 }],
    ['vmcp_workflow_completed', 'success', 'done', { duration_ms: expect.any(Number) }],
    ['vmcp_workflow_started', 'success', 'question', { step_count: 1, timeout_ms: 1_000 }],
    [
      'vmcp_workflow_failed',
      'failure',
      'question',
      { duration_ms: 0, failed_step: 'ask', failure_reason: 'cannot_ask' },
    ],
  ]);
});

const TRIED = workflow(`
name: tried
description: Tries again, and skips steps
parameters: { type: object, properties: { secret: { type: string } } }
steps:
  - { id: again, tool: one_fail, onError: { action: retry, retryCount: 2, retryDelay: 1ms }, defaultResults: { text: "" } }
`);

const LEFT_OUT = workflow(`
name: left_out
description: Skips a step, and calls a tool for each item
parameters: { type: object, properties: { secret: { type: string } } }
steps:
  - { id: out, tool: one_echo, condition: '{{ eq .params.secret "yes" }}' }
  - id: each
    type: forEach
    collection: '["a", "b"]'
    onError: { action: continue }
    step: { tool: one_fail, onError: { action: retry, retryCount: 1, retryDelay: 1ms } }
`);

test('the audit record of a step has the number of repeated calls, and the template of the condition that skipped the step', async () => {
  const one = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => one.close());
  const workflows = [TRIED, LEFT_OUT];
  const { gateway, records, text } = await startAudited({ backends: [backendPlan('one', one.url)], workflows });
  await servesWorkflows(gateway);
  await new StatelessClient(gateway.url).call('tried', {});
  await new StatelessClient(gateway.url).call('left_out', { secret: 'words-of-a-person' });
  await gateway.stop();
  const events = (await records()).filter(({ target }) => target.type === 'workflow_step');
  expect(
    events.map(({ type, target, metadata: { extra } }) => [
      type.slice('vmcp_workflow_step_'.length),
      target.step_id,
      extra.retry_count,
      extra.condition,
    ]),
  ).toEqual([
    ['started', 'again', undefined, undefined],
    ['failed', 'again', 2, undefined],
    ['skipped', 'out', undefined, '{{eq .params.secret "yes"}}'],
    ['started', 'each', undefined, undefined],
    ['completed', 'each', 2, undefined],
  ]);
  expect(await text()).not.toContain('words-of-a-person');
});
