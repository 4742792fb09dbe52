/** `lintel export` keeps nulls inside free-form fields, where they have a meaning, and drops all others. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { synthesized } from './synthesized.ts';

const object = (kind: string, spec: object, apiVersion = 'lintel.dev/v1beta1') =>
  stringify({ apiVersion, kind, metadata: { name: 'it' }, spec });

const workflow = (fields: object) => ({ name: 'it', description: 'It', steps: [{ id: 'a', tool: 'x.y', ...fields }] });

describe('exported nulls', () => {
  test.each([
    [
      'a tool argument in a workflow construct',
      'VirtualMCPCompositeToolDefinition',
      workflow({ arguments: { a: null, b: [null, { c: null }] } }),
    ],
    [
      'a tool argument in a plain workflow definition',
      'VirtualMCPCompositeToolDefinition',
      workflow({ arguments: { a: null }, onError: { action: 'retry' } }),
    ],
    [
      'an input schema of a workflow',
      'VirtualMCPCompositeToolDefinition',
      {
        ...workflow({}),
        parameters: {
          type: 'object',
          properties: { a: { enum: [null, 'x'], default: null }, b: { type: 'string', default: null } },
        },
      },
    ],
    [
      'a pod template in a server construct',
      'MCPServer',
      { groupRef: { name: 'g' }, image: 'x', transport: 'stdio', podTemplateSpec: { spec: { securityContext: null } } },
    ],
    [
      'a pod template in a plain MCPServer',
      'MCPServer',
      { image: 'x', transport: 'stdio', podTemplateSpec: { spec: { securityContext: null } } },
    ],
    [
      'a Deployment',
      'Deployment',
      { replicas: null, template: { spec: { containers: [{ name: 'a', securityContext: null }, null] } } },
      'apps/v1',
    ],
    [
      'an MCPServer of an older API version',
      'MCPServer',
      { image: null, podTemplateSpec: { spec: null } },
      'lintel.dev/v1alpha1',
    ],
  ])('lintel export keeps a null in %s', (_, kind, spec, apiVersion?: string) => {
    const { after, before } = synthesized(object(kind, spec, apiVersion));
    expect(after).toEqual(before);
  });
});

test('lintel export leaves out a field that is null', () => {
  const { program, after } = synthesized(object('MCPGroup', { description: null }));
  expect(program).toContain("new Group(this, 'it');");
  expect(after).toMatchObject([{ spec: {} }]);
});
