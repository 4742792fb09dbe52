/** What the real API server does with null fields: it stores the value that Lintel assumes, or refuses what Lintel refuses. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { KINDS_FILE } from '#schemas';
import { withDefaults } from '../../compiler/check/defaults.ts';
import { withoutNulls } from '../../compiler/check/nulls.ts';
import { checkStructure } from '../../compiler/check/structural.ts';
import { formatCollectionPath } from '../../controller/kube/index.ts';
import { type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT } from '../support/process.ts';

const CRDS = join(ROOT, 'schemas/generated/crd');
const apiVersion = 'lintel.dev/v1beta1';

let api: RealApi;
beforeAll(async () => {
  api = await startRealApi();
  for (const file of readdirSync(CRDS).filter(name => name.startsWith('lintel.dev_'))) {
    const body = parse(readFileSync(join(CRDS, file), 'utf8'));
    const made = await api.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body });
    expect(made.status).toBe(201);
  }
});
afterAll(() => api?.close());

const gateway = (fields: object) => ({ groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' }, ...fields });
const tool = (step: object, fields: object = {}) =>
  gateway({
    config: { compositeTools: [{ name: 'a', description: 'A', steps: [{ id: 'x', tool: 'b', ...step }], ...fields }] },
  });
const nullsFor = (names: object) => Object.fromEntries(Object.keys(names).map(name => [name, null]));

/** Every optional field of the configuration at once. */
const everyField = () => {
  const { properties = {}, required = [] } = KINDS_FILE.VirtualMCPServer?.spec.properties?.config ?? {};
  return nullsFor(Object.fromEntries(Object.entries(properties).filter(([name]) => !required.includes(name))));
};

test.each<[string, string, unknown]>([
  ['list', 'MCPServer', { image: 'a', env: null }],
  ['field with a default', 'MCPServer', { image: 'a', transport: null }],
  ['required field', 'VirtualMCPServer', gateway({ groupRef: null })],
  ['item of a list', 'MCPServer', { image: 'a', args: ['a', null] }],
  ['spec that may be left out', 'MCPGroup', null],
  ['required spec', 'VirtualMCPServer', null],
  ['object', 'VirtualMCPServer', gateway({ config: null })],
  ['every field of an object', 'VirtualMCPServer', gateway({ config: everyField() })],
  ['value of a map', 'VirtualMCPServer', gateway({ config: { metadata: { team: null, place: 'here' } } })],
  ['pod template', 'VirtualMCPServer', gateway({ podTemplateSpec: null })],
  ['inside of a pod template', 'VirtualMCPServer', gateway({ podTemplateSpec: { spec: { containers: null } } })],
  ['any value', 'VirtualMCPServer', tool({ defaultResults: null })],
  ['inside of any value', 'VirtualMCPServer', tool({ defaultResults: { a: null } })],
  ['argument of a tool', 'VirtualMCPServer', tool({ arguments: { a: null } })],
  ['schema of a tool', 'VirtualMCPServer', tool({}, { parameters: { type: 'object', default: null } })],
])('the API server and the compiler treat null alike: %s', async (_, kind, spec) => {
  const schemas = KINDS_FILE[kind as keyof typeof KINDS_FILE];
  if (schemas === undefined) throw new Error(`no kind ${kind}`);
  const object = { apiVersion, kind, metadata: { name: 'it', namespace: 'default' }, spec };
  const schema = {
    type: 'object',
    required: schemas.specRequired ? ['spec'] : [],
    properties: { spec: schemas.spec },
  } as const;
  const ours = withDefaults(schema, withoutNulls(schema, { spec }).value);
  const path = formatCollectionPath(object, 'default');
  const established = async () =>
    await api.request('POST', path, { body: object, query: { dryRun: 'All', fieldValidation: 'Strict' } });
  await expect.poll(async () => (await established()).status).not.toBe(404);
  const { status, body, text } = await established();
  expect([201, 422], text).toContain(status);
  expect(status === 201, text).toBe(checkStructure(schema, ours).length === 0);
  if (status === 201) expect({ spec: (body as { spec?: unknown }).spec }).toEqual({ ...(ours as object) });
});
