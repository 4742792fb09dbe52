import { expect, test } from 'vitest';
import { findMissingFields } from '../../../controller/definitions/missing-fields.ts';
import { type Node, openApi } from './open-api.ts';

const gateway = (edit: (properties: Node) => void) =>
  openApi('VirtualMCPServer', ({ properties }) => edit(properties.spec.properties));

test('the definitions of this version lack no field', () => {
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
  ['what is below a missing field is not named', gateway(spec => delete spec.config), ['spec.config']],
  [
    'an object that takes anything lacks nothing',
    gateway(spec => {
      spec.config = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    }),
    [],
  ],
  [
    'a field that only the cluster knows, of a newer version',
    gateway(spec => {
      spec.later = { type: 'string' };
    }),
    [],
  ],
  ['the status as a whole', openApi('VirtualMCPServer', ({ properties }) => delete properties.status), ['status']],
])('%s', (_title, document, fields) => {
  expect(findMissingFields(document)).toEqual(fields.length === 0 ? [] : [{ kind: 'VirtualMCPServer', fields }]);
});

test.each([undefined, null, 'text', {}, { components: { schemas: { a: null } } }])(
  'the missing fields of %j are unknown',
  document => {
    expect(findMissingFields(document)).toEqual([]);
  },
);
