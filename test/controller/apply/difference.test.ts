import { describe, expect, test } from 'vitest';
import { isSame, listDifferences } from '../../../controller/apply/difference.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';

const object = (fields: object, kind = 'Deployment', metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', ...metadata },
  ...fields,
});

const containers = (...containers: object[]): object => ({ spec: { template: { spec: { containers } } } });

describe('differences', () => {
  test.each([
    ['nothing for equal versions', { spec: { a: 1 } }, { spec: { a: 1 } }, []],
    ['a changed value', { spec: { a: 1 } }, { spec: { a: 2 } }, ['spec.a: 1 -> 2']],
    ['a new member', { spec: {} }, { spec: { a: { b: 1 } } }, ['spec.a: (none) -> {"b":1}']],
    ['a removed member', { data: { 'a.b': 'x' } }, { data: {} }, ['data["a.b"]: "x" -> (none)']],
    [
      'a changed list item by its name',
      containers({ name: 'vmcp', image: 'a' }, { name: 'side', image: 'c' }),
      containers({ name: 'side', image: 'c' }, { name: 'vmcp', image: 'b' }),
      ['spec.template.spec.containers[name=vmcp].image: "a" -> "b"'],
    ],
    [
      'a changed order of list items',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'b' }, { name: 'a' }),
      ['spec.template.spec.containers: in another order'],
    ],
    [
      'a removed list item',
      { spec: { ports: [{ port: 1 }, { port: 2 }] } },
      { spec: { ports: [{ port: 2 }] } },
      ['spec.ports[port=1]: {"port":1} -> (none)'],
    ],
    [
      'a changed list without keys as a whole',
      { spec: { args: ['a'] } },
      { spec: { args: ['b'] } },
      ['spec.args: ["a"] -> ["b"]'],
    ],
    [
      'a long value',
      { data: { a: 'x'.repeat(100) } },
      { data: { a: 'y' } },
      [`data.a: "${'x'.repeat(59)}… (102 characters) -> "y"`],
    ],
  ])('the difference between two versions of an object shows %s', (_, before, after, expected) => {
    expect(listDifferences(object(before), object(after), () => false)).toEqual(expected);
  });

  test('the difference between two versions of a Secret shows none of its values', () => {
    const before = object({ data: { token: 'b25l', gone: 'dHdv' } }, 'Secret');
    const after = object({ data: { token: 'dGhyZWU=' } }, 'Secret');
    expect(listDifferences(before, after, () => false)).toEqual([
      'data.token: (secret) -> (secret)',
      'data.gone: (secret) -> (none)',
    ]);
  });

  test('the difference between two versions of an object leaves out its status, fields of the API server, and irrelevant annotations', () => {
    const before = object({ status: { a: 1 } }, 'Deployment', { uid: '1', annotations: { hash: 'a', b: 'c' } });
    const after = object({ status: { a: 2 } }, 'Deployment', { uid: '2', annotations: { hash: 'b', b: 'd' } });
    expect(listDifferences(before, after, name => name === 'hash')).toEqual(['metadata.annotations.b: "c" -> "d"']);
    expect(isSame(before, after)).toBe(false);
    expect(isSame(before, { ...before, status: {}, metadata: { ...before.metadata, resourceVersion: '7' } })).toBe(
      true,
    );
  });

  test('the difference between two versions of an object lists 20 changes and the number of further changes', () => {
    const members = (value: number): object =>
      Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`a${at}`, value]));
    const lines = listDifferences(object({ spec: members(1) }), object({ spec: members(2) }), () => false);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('(+5 more)');
  });
});
