import { describe, expect, expectTypeOf, test } from 'vitest';
import { Backend, Caller, Conflicts, Gateway, Incoming, type Tool } from '../../../../compiler/cdk8s/index.ts';
import { world } from '../../../support/cdk8s-world.ts';

/** The test is that `tsc` checks this file: if a line below an `@ts-expect-error` had no type error, `tsc` would report that. */
describe('type errors', () => {
  test('TypeScript refuses an unknown tool of a locked backend', () => {
    const { github, group } = world();
    // @ts-expect-error: the lock does not have this tool
    expect(github.tools.serch).toBeUndefined();
    // @ts-expect-error: the same, by name
    expect(() => github.tool('serch')).toThrow('has no tool "serch"; it has create_issue, delete_repo, search');
    const unknown = Backend.existing({ name: 'unknown', group });
    // @ts-expect-error: without a lock tools are named by tool()
    expect(unknown.tools.search).toBeUndefined();
    expect(unknown.tool('search')).toEqual({ backend: 'unknown', name: 'search' });
    expectTypeOf(github.tools.search).toExtend<Tool>();
  });

  test('TypeScript refuses wrong settings of the Gateway construct', () => {
    const { chart, group, github } = world();
    // @ts-expect-error: incoming authentication is required
    expect(() => new Gateway(chart, 'open', { group })).not.toThrow();
    const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous() });
    // @ts-expect-error: an empty list grants nothing
    gateway.grant(Caller.any()).call();
    // @ts-expect-error: a priority order names at least one backend
    expect(Conflicts.priority([])).toBeInstanceOf(Conflicts);
    // @ts-expect-error: only backends without an object of their own are added
    gateway.addBackend(github);
    // @ts-expect-error: unknown type of Service
    expect(new Gateway(chart, 'other', { group, incoming: Incoming.anonymous(), serviceType: 'Ingress' }).name).toBe(
      'other',
    );
    // @ts-expect-error: read-only
    expect(() => (Object.assign(gateway, {}).name = 'x')).not.toThrow();
  });
});
