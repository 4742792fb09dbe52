import { App, Chart, JsonPatch, Testing } from 'cdk8s';
import { expect, test } from 'vitest';
import * as objects from '../../../compiler/cdk8s/generated/objects.ts';
import { LintelObject, MCPGroup, MCPServer, VirtualMCPServer } from '../../../compiler/cdk8s/index.ts';
import { KINDS_FILE } from '../../../schemas/index.ts';

const chart = (): Chart => new Chart(Testing.app(), 'eng', { namespace: 'mcp' });

/** Synthesizes a construct with props whose types no compiler has checked, as in a JavaScript program. */
function synth(spec: unknown, metadata?: object): unknown {
  const scope = chart();
  new VirtualMCPServer(scope, 'gateway', { spec, ...(metadata ? { metadata } : {}) } as never);
  return Testing.synth(scope)[0];
}

const GOOD = { groupRef: { name: 'eng' }, incomingAuth: { type: 'anonymous' } };

test('every kind has a construct class with exactly the name of the kind', () => {
  const classes = Object.entries(objects).map(([name, value]) => [name, value.kind, value.apiVersion]);
  expect(classes).toEqual(Object.keys(KINDS_FILE).map(kind => [kind, kind, 'lintel.dev/v1beta1']));
});

test('the name of an object is the id of its construct, at any depth of the construct tree', () => {
  expect(synth(GOOD)).toEqual({
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'VirtualMCPServer',
    metadata: { name: 'gateway', namespace: 'mcp' },
    spec: GOOD,
  });
  expect(synth(GOOD, { name: 'other', labels: { a: 'b' } })).toMatchObject({
    metadata: { name: 'other', namespace: 'mcp', labels: { a: 'b' } },
  });
});

const UNKNOWN: readonly (readonly [what: string, spec: object, problem: string])[] = [
  ['a typing error', { ...GOOD, grupRef: {} }, '/spec/grupRef is no field; did you mean "groupRef"?'],
  [
    'a field name in snake case',
    { ...GOOD, incoming_auth: {} },
    '/spec/incoming_auth is no field; did you mean "incomingAuth"?',
  ],
  [
    'a field deep in the spec',
    { ...GOOD, config: { aggregation: { tools: [{ workload: 'a', filters: [] }] } } },
    '/spec/config/aggregation/tools/0/filters is no field; did you mean "filter"?',
  ],
  [
    'a field in the values of a map',
    { ...GOOD, config: { aggregation: { tools: [{ workload: 'a', overrides: { 'x/y': { nmae: 'b' } } }] } } },
    '/spec/config/aggregation/tools/0/overrides/x~1y/nmae is no field; did you mean "name"?',
  ],
  [
    'a name that is like no field',
    { ...GOOD, groupRef: { name: 'eng', quantum: 1 } },
    '/spec/groupRef/quantum is no field; known here: name',
  ],
  [
    'a name of Object.prototype',
    { ...GOOD, groupRef: { name: 'eng', valueOf: 1 } },
    '/spec/groupRef/valueOf is no field',
  ],
];
test.each(UNKNOWN)('synthesis of a program fails at an unknown field: %s', (_, spec, problem) => {
  expect(() => synth(spec)).toThrow('[eng/gateway] VirtualMCPServer "gateway":\n');
  expect(() => synth(spec)).toThrow(problem);
});

test('a program cannot set the status of an object', () => {
  const scope = chart();
  new MCPGroup(scope, 'eng', { status: {}, spce: {} } as never);
  expect(() => Testing.synth(scope)).toThrow('/status is no field; known here: apiVersion, kind, metadata, spec');
  expect(() => Testing.synth(scope)).toThrow('/spce is no field; did you mean "spec"?');
});

test('a JSON patch cannot add an unknown field', () => {
  const scope = chart();
  const server = new MCPServer(scope, 'github', { spec: { image: 'ghcr.io/github/server' } });
  server.addJsonPatch(JsonPatch.add('/spec/portt', 1));
  expect(() => Testing.synth(scope)).toThrow('/spec/portt is no field');
});

test('App.synth refuses an unknown field as Testing.synth does', () => {
  const app = new App({ outdir: '/nowhere' });
  new MCPGroup(new Chart(app, 'eng'), 'eng', { spec: { desc: 'x' } } as never);
  expect(() => app.synth()).toThrow('/spec/desc is no field; did you mean "description"?');
});

test('free-form fields of constructs accept any content', () => {
  const spec = {
    ...GOOD,
    podTemplateSpec: { spec: { containers: [{ name: 'vmcp', anything: { goes: [1, 'two'] } }] } },
    config: { compositeTools: [{ name: 'a', steps: [{ id: 's', tool: 'a.b', arguments: { any: { deep: true } } }] }] },
  };
  expect(synth(spec)).toMatchObject({ spec });
});

test('every construct of a Lintel object is an instance of LintelObject', () => {
  expect(new MCPGroup(chart(), 'eng')).toBeInstanceOf(LintelObject);
});
