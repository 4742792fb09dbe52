/** cdk8s drops nulls. Inside free-form fields they have a meaning, so Lintel's constructs keep them there. */
import { App, Chart, JsonPatch, Lazy, Testing } from 'cdk8s';
import { expect, test } from 'vitest';
import { MCPServer, VirtualMCPCompositeToolDefinition } from '../../../compiler/cdk8s/index.ts';

const specOf = (chart: Chart) => Testing.synth(chart)[0].spec;

test('a construct keeps null in free-form fields, and treats null as absent elsewhere', () => {
  const chart = new Chart(new App(), 'c');
  new VirtualMCPCompositeToolDefinition(chart, 'it', {
    spec: {
      name: 'it',
      timeout: null as never,
      parameters: { type: 'object', properties: { a: { enum: [null, 'x'], default: null } } },
      steps: [{ id: 'a', tool: 'x.y', condition: null as never, arguments: { a: null, b: [{ c: null }] } }],
    },
  });
  expect(specOf(chart)).toStrictEqual({
    name: 'it',
    parameters: { type: 'object', properties: { a: { enum: [null, 'x'], default: null } } },
    steps: [{ id: 'a', tool: 'x.y', arguments: { a: null, b: [{ c: null }] } }],
  });
});

test('a construct treats null in lazy values and JSON patches as it treats null in its props', () => {
  const chart = new Chart(new App(), 'c');
  const podTemplateSpec = Lazy.any({ produce: () => ({ spec: { hostname: 'a' } }) });
  const server = new MCPServer(chart, 'it', { spec: { image: 'x', transport: 'stdio', podTemplateSpec } });
  server.addJsonPatch(JsonPatch.add('/spec/podTemplateSpec/spec/securityContext', null));
  expect(specOf(chart).podTemplateSpec).toStrictEqual({ spec: { hostname: 'a', securityContext: null } });

  const spec = Lazy.any({ produce: () => ({ image: 'x', transport: 'stdio', podTemplateSpec: { spec: null } }) });
  const later = new Chart(new App(), 'c');
  new MCPServer(later, 'it', { spec });
  expect(specOf(later).podTemplateSpec).toStrictEqual({ spec: null });
});
