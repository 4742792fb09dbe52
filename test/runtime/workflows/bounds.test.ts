/** How many running workflows, and how many suspended ones, a gateway accepts from its callers. */
import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import type { ServedWorkflow } from '../../../runtime/gateway/routing/served-workflows.ts';
import type { WorkflowClient } from '../../../runtime/gateway/workflow/client.ts';
import type { StateOwner } from '../../../runtime/gateway/workflow/sealed-state.ts';
import { StepResponder } from '../../../runtime/gateway/workflow/step-responder.ts';
import { WaitingRuns } from '../../../runtime/gateway/workflow/waiting-runs.ts';
import { MAX_RUNNING, MAX_RUNNING_OF_ONE, Workflows } from '../../../runtime/gateway/workflow/workflows.ts';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { workflow } from './support.ts';

const closing: { close(): void }[] = [];
afterEach(() => {
  for (const one of closing.splice(0)) one.close();
});

describe('runs that wait for clients', () => {
  const OWNER: StateOwner = { owner: 'ann', workflow: 'w', about: 'digest' };

  function opened(): WaitingRuns {
    const waiting = new WaitingRuns();
    closing.push(waiting);
    return waiting;
  }
  const hold = (waiting: WaitingRuns, share: string, state = '{}', ttlMs = 600_000, onExpired = () => {}) =>
    waiting.hold(state, OWNER, { share, ttlMs, onExpired });

  test('at most 1,000 workflow runs of one caller and 2,000 of all callers wait for clients, and a waiting run that continues frees its share', async () => {
    const waiting = opened();
    const first = await hold(waiting, 'ann');
    for (let at = 1; at < 1_000; at += 1) expect(await hold(waiting, 'ann')).toBeDefined();
    expect(await hold(waiting, 'ann')).toBeUndefined();
    for (let at = 0; at < 1_000; at += 1) expect(await hold(waiting, `caller ${at}`)).toBeDefined();
    expect(await hold(waiting, 'bo')).toBeUndefined();
    expect(waiting.figures).toEqual(new Map([['w', 2_000]]));
    expect(await waiting.take(first ?? '', OWNER)).toBe('{}');
    expect(await hold(waiting, 'bo')).toBeDefined();
  });

  test('a workflow run that waits for its client takes at most a megabyte, and all such runs together at most 64 megabytes', async () => {
    const waiting = opened();
    expect(await hold(waiting, 'ann', 'x'.repeat(1024 * 1024 + 1))).toBeUndefined();
    let held = 0;
    while ((await hold(waiting, `caller ${held}`, 'x'.repeat(1024 * 1024))) !== undefined) held += 1;
    expect(held).toBeGreaterThan(40);
    expect(held).toBeLessThanOrEqual(64);
    expect(await hold(waiting, 'bo', 'small')).toBeDefined();
  });

  test('a workflow run that waits for its client ends once, at its time limit', async () => {
    const waiting = opened();
    const { promise, resolve } = Promise.withResolvers<void>();
    const secret = await hold(waiting, 'ann', '{}', 1, resolve);
    await promise;
    expect([await waiting.take(secret ?? '', OWNER), waiting.figures.size]).toEqual([undefined, 0]);
  });
});

const ASKING = workflow(`
name: asking
description: Asks
steps: [{ id: ask, type: elicitation, message: m, schema: { type: object } }]
`);

/** A client that gets elicitations and never answers. */
function silentClient(share: string): WorkflowClient {
  const answer = { onAbort: () => {}, message: () => true, aborted: false, result: () => {}, error: () => {} };
  return {
    envelope: readEnvelope('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asking"}}'),
    answer: answer as unknown as ClientResponder,
    identity: {} as WorkflowClient['identity'],
    share,
    record: undefined,
    canAsk: true,
    stepMeta: () => undefined,
    call: () => {},
    ask: () => new Promise(() => {}),
    common: undefined,
  };
}

test('a workflow call is refused as busy above 1,000 runs of one caller and 2,000 runs of all callers', async () => {
  const workflows = new Workflows(createLogger('silent'));
  closing.push(workflows);
  const served = { name: 'asking', plan: ASKING, backends: [], headers: new Map(), names: new Map() };
  const run = (share: string) =>
    void workflows.run({
      workflow: served as unknown as ServedWorkflow,
      client: silentClient(share),
      connections: new Map(),
    });
  const busy = expect.objectContaining({ httpStatus: 503, data: { reason: 'busy' } });
  for (let at = 0; at < MAX_RUNNING_OF_ONE; at += 1) run('ann');
  expect(() => run('ann')).toThrow(busy);
  for (let at = MAX_RUNNING_OF_ONE; at < MAX_RUNNING; at += 1) run(`caller ${at}`);
  expect(() => run('bo')).toThrow(busy);
  await expect.poll(() => workflows.figures.get('asking')).toEqual({ running: MAX_RUNNING, asking: MAX_RUNNING });
  workflows.close();
  await expect.poll(() => workflows.figures.size).toBe(0);
});

describe('the answer of a backend to a step', () => {
  const responder = () => new StepResponder({} as ClientResponder);

  test('the answer of a backend to a workflow step has at most 16 MiB', async () => {
    const step = responder();
    const called = expect(step.result$).rejects.toMatchObject({ reason: 'too_large' });
    for (let at = 0; at < 17; at += 1) step.data(new Uint8Array(1024 * 1024));
    await called;
    expect(step.aborted).toBe(true);
  });

  test.each([
    ['not JSON', 'nothing', 'protocol_error'],
    ['not a response', '{}', 'refused'],
    ['an error of the backend', '{"error":{"code":-32602,"message":"no"}}', 'refused'],
    ['a result that is a list', '{"result":[]}', 'protocol_error'],
    ['a result that is null', '{"result":null}', 'protocol_error'],
  ])('a workflow step fails when the answer of its backend is %s', async (_, text, reason) => {
    const step = responder();
    step.data(Buffer.from(text));
    step.end();
    await expect(step.result$).rejects.toMatchObject({ reason });
  });

  test.each([
    ['no content', '{"structuredContent":{"a":1}}', { structuredContent: { a: 1 } }],
    ['content that is not a list', '{"content":"text"}', { content: [] }],
    [
      'invalid content blocks',
      '{"content":[null,1,{"type":2},{"type":"text","text":"x"}]}',
      { content: [{ type: 'text', text: 'x' }] },
    ],
  ])('a workflow step accepts a result with %s', async (_, text, result) => {
    const step = responder();
    step.data(Buffer.from(`{"result":${text}}`));
    step.end();
    expect(await step.result$).toEqual(result);
  });

  test('a workflow step reads the whole of an answer that arrives byte by byte in reused memory', async () => {
    const text = '{"result":{"content":[{"type":"text","text":"Grüße, 東京 🗼"}]}}';
    const step = responder();
    const memory = new Uint8Array(1);
    for (const byte of Buffer.from(text)) {
      memory[0] = byte;
      step.data(memory);
    }
    step.end();
    expect(await step.result$).toEqual(JSON.parse(text).result);
  });
});
