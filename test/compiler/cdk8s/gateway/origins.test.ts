import { ApiObject } from 'cdk8s';
import { expect, test } from 'vitest';
import { Backend, Caller, Conflicts, Gateway, OutgoingAuth, Secret } from '../../../../compiler/cdk8s/index.ts';
import { readOrigins } from '../../../../compiler/cdk8s/origins.ts';
import { OFFERS, tokens, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';

test('a Gateway construct records for each field of its manifest the call of the program that filled the field', () => {
  const { chart, group, github, docs } = world();
  const key = OutgoingAuth.header(chart, 'key', { header: 'X-Key', value: Secret.key('keys', 'docs') });
  const gateway = new Gateway(chart, 'eng', {
    group,
    incoming: tokens(chart),
    replicas: 1,
    conflicts: Conflicts.prefix('{workload}-'),
    outgoing: { backends: { docs: key } },
  });
  gateway.addBackend(Backend.inline({ name: 'notes', url: 'http://notes:8080/mcp', transport: 'streamable-http' }));
  gateway.grant(Caller.group('eng')).call(docs.tools.read, github.tools.search);
  gateway.rename(github.tools.create_issue, 'open');
  gateway.addPolicy('forbid (principal in Group::"out", action, resource);');
  gateway.hide(docs.tools.search);
  compiled(chart, OFFERS);
  const noted = new Map(readOrigins(ApiObject.of(gateway)).map(({ pointer, callSite }) => [pointer, callSite]));
  const callees = new Map(
    [...noted].map(([pointer, { stack, argument }]) => {
      // The stack frame in this file, whose line identifies the call.
      const line = Number(/origins\.test\.ts(?:\?[^:]*)?:(\d+)/.exec(stack)?.[1]);
      return [pointer, [line, argument]] as const;
    }),
  );
  const first = callees.get('')?.[0] ?? 0;
  const at = (pointer: string) => {
    const [line = 0, argument] = callees.get(pointer) ?? [];
    return [line - first, argument?.join('.')];
  };
  expect(at('')).toEqual([0, '2']);
  expect(at('/metadata/name')).toEqual([0, '1']);
  expect(at('/spec/groupRef')).toEqual([0, '2.group']);
  expect(at('/spec/replicas')).toEqual([0, '2.replicas']);
  expect(at('/spec/config/aggregation')).toEqual([0, '2.conflicts']);
  expect(at('/spec/config/backends/0')).toEqual([7, '0']);
  expect(at('/spec/incomingAuth/authzConfig/inline/policies/0')).toEqual([8, '']);
  expect(at('/spec/incomingAuth/authzConfig/inline/policies/1')).toEqual([10, '0']);
  expect(at('/spec/config/aggregation/tools/0/filter/0')).toEqual([8, '0']);
  expect(at('/spec/config/aggregation/tools/1/filter/0')).toEqual([8, '1']);
  expect(at('/spec/config/aggregation/tools/1/overrides/create_issue')).toEqual([9, '']);
  expect(noted.has('/spec/outgoingAuth/backends/docs')).toBe(true);
});

test('rendering a chart twice gives the same manifest, and adds no second record of where a construct set a field', () => {
  const { chart, group, github } = world();
  const gateway = new Gateway(chart, 'eng', { group, incoming: tokens(chart) });
  gateway.grant(Caller.any()).call(github.tools.search);
  const once = chart.toJson();
  const noted = readOrigins(ApiObject.of(gateway)).length;
  expect(chart.toJson()).toEqual(once);
  expect(readOrigins(ApiObject.of(gateway))).toHaveLength(noted);
});
