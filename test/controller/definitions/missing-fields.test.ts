import { expect, test } from 'vitest';
import { findMissingFields } from '../../../controller/definitions/missing-fields.ts';
import { type Node, openApi } from './open-api.ts';

const gateway = (edit: (properties: Node) => void) =>
  openApi('VirtualMCPServer', ({ properties }) => edit(properties.spec.properties));

test('the controller finds no missing field in the CRDs of its own version', () => {
  expect(findMissingFields(openApi(''))).toEqual([]);
});

test.each<[title: string, document: unknown, expected: readonly string[]]>([
  ['a field of the spec', gateway(spec => delete spec.groupRef), ['spec.groupRef']],
  [
    'a field of the status',
    openApi('VirtualMCPServer', ({ properties }) => delete properties.status.properties.phase),
    ['status.phase'],
  ],
  [
    'a field of the items of a list',
    gateway(spec => delete spec.config.properties.backends.items.properties.url),
    ['spec.config.backends[].url'],
  ],
  ['only the parent when a whole object is missing', gateway(spec => delete spec.config), ['spec.config']],
  [
    'none for a free-form object',
    gateway(spec => {
      spec.config = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    }),
    [],
  ],
  [
    'none for an additional field of a newer version',
    gateway(spec => {
      spec.later = { type: 'string' };
    }),
    [],
  ],
  ['the status as a whole', openApi('VirtualMCPServer', ({ properties }) => delete properties.status), ['status']],
])('the comparison of installed CRDs names missing fields: %s', (_title, document, fields) => {
  expect(findMissingFields(document)).toEqual(fields.length === 0 ? [] : [{ kind: 'VirtualMCPServer', fields }]);
});

test.each([undefined, null, 'text', {}, { components: { schemas: { a: null } } }])(
  'the comparison of installed CRDs names no missing field if the OpenAPI document is %j',
  document => {
    expect(findMissingFields(document)).toEqual([]);
  },
);
