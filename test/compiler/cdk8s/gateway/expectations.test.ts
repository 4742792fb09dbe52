import { ApiObject, JsonPatch } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { Caller, Conflicts, type Expectations, Gateway } from '../../../../compiler/cdk8s/index.ts';
import { readOrigins } from '../../../../compiler/cdk8s/origins.ts';
import { OFFERS, tokens, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';

function gatewayExpecting(expectation: (e: Expectations, w: ReturnType<typeof world>) => unknown) {
  const w = world();
  const gateway = new Gateway(w.chart, 'eng', { group: w.group, incoming: tokens(w.chart) });
  gateway.grant(Caller.group('eng')).call(w.github.tools.search);
  gateway.expect(e => expectation(e, w));
  return { ...w, gateway };
}

const ENG = { groups: ['eng'] };

test('the compiler gives no finding if a gateway meets the expectations of its program', () => {
  const { chart } = gatewayExpecting((e, { github }) => {
    e.anonymous().reaches(0);
    e.caller(ENG).canCall(github.tools.search).cannotReach(github.tools.delete_repo, 'pg_drop_table').reaches(1);
  });
  expect(compiled(chart, OFFERS).findings).toEqual([]);
});

test.each<[what: string, expectation: Parameters<typeof gatewayExpecting>[0], finding: string]>([
  ['a wrong number of tools', e => e.caller(ENG).reaches(0), 'must reach 0 tools, and reaches 1: github_search'],
  [
    'a call that is not permitted',
    (e, { docs }) => e.caller(ENG).canCall(docs.tools.read),
    'must be able to call "docs_read", and may not',
  ],
  [
    'a tool that is reachable',
    (e, { github }) => e.caller(ENG).cannotReach(github.tools.search),
    'must not reach "github_search"',
  ],
])(
  'the compiler gives an error at the line of an expectation that a gateway does not meet: %s',
  (_, expectation, finding) => {
    const { chart, gateway } = gatewayExpecting(expectation);
    const { diagnostics } = compiled(chart, OFFERS);
    const found = diagnostics.filter(({ severity }) => severity === 'error');
    expect(found).toEqual([expect.objectContaining({ code: 'LNT5013', message: expect.stringContaining(finding) })]);
    const pointers = readOrigins(ApiObject.of(gateway)).map(({ pointer }) => pointer);
    expect(pointers).toContain(found[0]?.pointer);
  },
);

test('the compiler and `lintel exposure` report the path of every override and JSON patch of a construct', () => {
  const { chart, gateway } = gatewayExpecting(e => e.anonymous().reaches(0));
  gateway.override('/spec/replicas', 3);
  ApiObject.of(gateway).addJsonPatch(JsonPatch.replace('/spec/incomingAuth/oidcConfigRef/audience', 'other'));
  const { diagnostics, yaml, exposures } = compiled(chart, OFFERS);
  expect(diagnostics.filter(({ code }) => code === 'LNT1040').map(({ pointer }) => pointer)).toEqual([
    '/spec/incomingAuth/oidcConfigRef/audience',
    '/spec/replicas',
  ]);
  expect(yaml).toContain('replicas: 3');
  for (const text of exposures('eng')) {
    expect(text).toContain('/spec/replicas');
    expect(text).toContain('/spec/incomingAuth/oidcConfigRef/audience');
  }
});

test('the compiler reports by LNT1040 even a JSON patch that removes the annotations of a gateway', () => {
  const { chart, gateway } = gatewayExpecting(e => e.anonymous().reaches(0));
  ApiObject.of(gateway).addJsonPatch(JsonPatch.remove('/metadata/annotations'));
  expect(compiled(chart, OFFERS).diagnostics.map(({ code }) => code)).toContain('LNT1040');
});

test('an expectation about a tool throws at synthesis if the tool of a preferred backend already has the same name', () => {
  const { chart, group, docs, github } = world();
  const conflicts = Conflicts.priority([docs, github]);
  new Gateway(chart, 'eng', { group, conflicts, incoming: tokens(chart) }).expect(e =>
    e.anonymous().cannotReach(github.tools.search),
  );
  expect(() => chart.toJson()).toThrow('"search" of "github" loses its name to "docs"');
});

describe('an expectations annotation in the program', () => {
  const NAME = 'lintel.dev/expectations';
  const gatewayWith = (text: string) => {
    const w = world();
    const gateway = new Gateway(w.chart, 'eng', {
      group: w.group,
      incoming: tokens(w.chart),
      annotations: { [NAME]: text, other: 'kept' },
    });
    gateway.grant(Caller.group('eng')).call(w.github.tools.search);
    const annotations = () => w.chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer').metadata.annotations;
    return { ...w, gateway, annotations };
  };

  test('the Gateway construct keeps an expectations annotation that the program sets', () => {
    const { annotations } = gatewayWith('[{"caller":"anonymous","reaches":0}]');
    expect(annotations()).toEqual({ [NAME]: '[{"caller":"anonymous","reaches":0}]', other: 'kept' });
  });

  test('`expect` adds to an expectations annotation that the program sets, and the compiler checks all expectations in the annotation', () => {
    const { chart, gateway, annotations } = gatewayWith('[{"caller":"anonymous","reaches":3}]');
    gateway.expect(e => e.caller(ENG).reaches(2));
    expect(JSON.parse(annotations()[NAME])).toEqual([
      { caller: 'anonymous', reaches: 3 },
      { caller: ENG, reaches: 2 },
    ]);
    const broken = compiled(chart, OFFERS).diagnostics.filter(({ code }) => code === 'LNT5013');
    expect(broken.map(({ pointer }) => pointer).toSorted()).toEqual(
      [0, 1].map(at => `/metadata/annotations/lintel.dev~1expectations/${at}/reaches`),
    );
    expect(readOrigins(ApiObject.of(gateway)).map(({ pointer }) => pointer)).toContain(
      '/metadata/annotations/lintel.dev~1expectations/1/reaches',
    );
  });

  test('expect throws at synthesis if the expectations annotation of the program is no JSON list', () => {
    const { chart, gateway } = gatewayWith('{}');
    gateway.expect(e => e.anonymous().reaches(0));
    expect(() => chart.toJson()).toThrow('is no JSON list, so nothing that is expected can be added to it');
  });
});
