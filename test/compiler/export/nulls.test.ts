/** Nulls have a meaning inside free-form fields, and nowhere else. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { synthesized } from './synthesized.ts';

const object = (kind: string, spec: object, apiVersion = 'lintel.dev/v1beta1') =>
  stringify({ apiVersion, kind, metadata: { name: 'it' }, spec });

const workflow = (fields: object) => ({ name: 'it', description: 'It', steps: [{ id: 'a', tool: 'x.y', ...fields }] });

describe('nulls that mean something are kept', () => {
  test.each([
    [
      'argument of a tool, by intent',
      'VirtualMCPCompositeToolDefinition',
      workflow({ arguments: { a: null, b: [null, { c: null }] } }),
    ],
    [
      'argument of a tool, written out',
      'VirtualMCPCompositeToolDefinition',
      workflow({ arguments: { a: null }, onError: { action: 'retry' } }),
    ],
    [
      'schema of an input',
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
      'pod template, by intent',
      'MCPServer',
      { groupRef: { name: 'g' }, image: 'x', transport: 'stdio', podTemplateSpec: { spec: { securityContext: null } } },
    ],
    [
      'pod template, written out',
      'MCPServer',
      { image: 'x', transport: 'stdio', podTemplateSpec: { spec: { securityContext: null } } },
    ],
    [
      'object of others',
      'Deployment',
      { replicas: null, template: { spec: { containers: [{ name: 'a', securityContext: null }, null] } } },
      'apps/v1',
    ],
    [
      'object of an older version',
      'MCPServer',
      { image: null, podTemplateSpec: { spec: null } },
      'lintel.dev/v1alpha1',
    ],
  ])('%s', (_, kind, spec, apiVersion?: string) => {
    const { after, before } = synthesized(object(kind, spec, apiVersion));
    expect(after).toEqual(before);
  });
});

test('a null that is a field by itself is the same as none', () => {
  const { program, after } = synthesized(object('MCPGroup', { description: null }));
  expect(program).toContain("new Group(this, 'it');");
  expect(after).toMatchObject([{ spec: {} }]);
});
