import { describe, expect, test } from 'vitest';
import { EventRecorder, KubeError, type KubeObject, type ObjectKey } from '../../../controller/kube/index.ts';
import { TestClock } from '../../support/test-clock.ts';

const SOURCE = {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  metadata: { name: 'gateways', namespace: 'team', uid: 'u1', resourceVersion: '8' },
};

function recorder() {
  const clock = new TestClock();
  const created: KubeObject[] = [];
  const patched: [ObjectKey, object][] = [];
  const failures: unknown[] = [];
  let trouble: Error | undefined;
  const fail = (): void => {
    if (trouble !== undefined) throw trouble;
  };
  let count = 0;
  const events = new EventRecorder({
    component: 'lintel-controller',
    instance: 'pod-1',
    clock,
    suffix: () => `s${++count}`,
    onFailure: error => failures.push(error),
    client: {
      create: async object => {
        fail();
        created.push(object);
        return object;
      },
      patch: async (key, patch) => {
        fail();
        patched.push([key, patch]);
        return SOURCE;
      },
    },
  });
  return {
    events,
    clock,
    created,
    patched,
    failures,
    fail: (error: Error | undefined) => {
      trouble = error;
    },
  };
}

describe('events', () => {
  test('an event of the controller has the object, the reason and the message', async () => {
    const { events, created } = recorder();
    events.add(SOURCE, 'Warning', 'CompilationFailed', 'no such group');
    await events.flushed();
    expect(created).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'gateways.s1', namespace: 'team' },
        involvedObject: {
          apiVersion: 'lintel.dev/v1beta1',
          kind: 'GatewaySource',
          name: 'gateways',
          namespace: 'team',
          uid: 'u1',
          resourceVersion: '8',
        },
        type: 'Warning',
        reason: 'CompilationFailed',
        message: 'no such group',
        source: { component: 'lintel-controller' },
        reportingComponent: 'lintel-controller',
        reportingInstance: 'pod-1',
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      },
    ]);
  });

  test('the controller counts a repeated event instead of creating a new event', async () => {
    const { events, clock, created, patched } = recorder();
    for (let count = 0; count < 3; count++) {
      events.add(SOURCE, 'Normal', 'Succeeded', 'applied');
      await events.flushed();
      await clock.pass(60_000);
    }
    expect(created).toHaveLength(1);
    expect(patched).toEqual([
      [
        { apiVersion: 'v1', kind: 'Event', namespace: 'team', name: 'gateways.s1' },
        { count: 2, lastTimestamp: '2026-01-01T00:01:00Z' },
      ],
      [
        { apiVersion: 'v1', kind: 'Event', namespace: 'team', name: 'gateways.s1' },
        { count: 3, lastTimestamp: '2026-01-01T00:02:00Z' },
      ],
    ]);
  });

  test.each([
    ['another reason', ['Normal', 'Progressing', 'applied']],
    ['another message', ['Normal', 'Succeeded', 'applied again']],
    ['another type', ['Warning', 'Succeeded', 'applied']],
  ] as const)('the controller creates a second event for %s', async (_name, [type, reason, message]) => {
    const { events, created } = recorder();
    events.add(SOURCE, 'Normal', 'Succeeded', 'applied');
    events.add(SOURCE, type, reason, message);
    await events.flushed();
    expect(created).toHaveLength(2);
  });

  test('the controller creates a new event if the last equal event is eleven minutes old', async () => {
    const { events, clock, created } = recorder();
    events.add(SOURCE, 'Normal', 'Succeeded', 'applied');
    await events.flushed();
    await clock.pass(11 * 60_000);
    events.add(SOURCE, 'Normal', 'Succeeded', 'applied');
    await events.flushed();
    expect(created).toHaveLength(2);
  });

  test('the controller creates a deleted event again', async () => {
    const failures: unknown[] = [];
    const created: KubeObject[] = [];
    const events = new EventRecorder({
      component: 'c',
      instance: 'i',
      onFailure: error => failures.push(error),
      client: {
        create: async object => {
          created.push(object);
          return object;
        },
        patch: async () => {
          throw new KubeError('not found', { failure: 'notFound', call: 'patch' });
        },
      },
    });
    events.add(SOURCE, 'Normal', 'Succeeded', 'applied');
    events.add(SOURCE, 'Normal', 'Succeeded', 'applied');
    await events.flushed();
    expect(created).toHaveLength(2);
    expect(failures).toEqual([]);
  });

  test('the controller logs a failed write of an event, and writes the next event', async () => {
    const { events, created, failures, fail } = recorder();
    fail(new Error('forbidden'));
    events.add(SOURCE, 'Normal', 'Succeeded', 'a');
    await events.flushed();
    fail(undefined);
    events.add(SOURCE, 'Normal', 'Succeeded', 'b');
    await events.flushed();
    expect(failures).toEqual([new Error('forbidden')]);
    expect(created.map(({ message }) => message)).toEqual(['b']);
  });

  test('the controller emits 25 events about an object at once, then one every five minutes, without effect on other objects', async () => {
    const { events, clock, created } = recorder();
    for (let count = 0; count < 60; count++) events.add(SOURCE, 'Normal', 'Progressing', `step ${count}`);
    await events.flushed();
    expect(created).toHaveLength(25);
    events.add({ ...SOURCE, metadata: { ...SOURCE.metadata, uid: 'u2' } }, 'Normal', 'Progressing', 'step');
    await events.flushed();
    expect(created).toHaveLength(26);
    await clock.pass(5 * 60_000);
    events.add(SOURCE, 'Normal', 'Progressing', 'later');
    events.add(SOURCE, 'Normal', 'Progressing', 'later still');
    await events.flushed();
    expect(created).toHaveLength(27);
  });

  test('the controller cuts a long event message between characters, and keeps the ending of a long event name', async () => {
    const { events, created } = recorder();
    const name = 'x'.repeat(253);
    events.add({ ...SOURCE, metadata: { ...SOURCE.metadata, name } }, 'Warning', 'FetchFailed', '🦆'.repeat(400));
    await events.flushed();
    const { message, metadata } = created[0] as KubeObject & { message: string };
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
    expect(message).toMatch(/^(🦆)+…$/u);
    expect(metadata.name.length).toBeLessThanOrEqual(253);
    expect(metadata.name).toMatch(/\.s1$/);
  });
});
