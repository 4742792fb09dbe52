import { describe, expect, test } from 'vitest';
import {
  dropFields,
  type ManagedFieldTree,
  partition,
  selectValues,
  uniteFields,
} from '../../../controller/apply/fields.ts';

const leaf: ManagedFieldTree = {};
const vmcp = 'k:{"name":"vmcp"}';

describe('values at fields', () => {
  const value = {
    metadata: { labels: { a: '1', b: '2' }, finalizers: ['x', 'y'] },
    spec: {
      replicas: 3,
      args: ['a', 'b'],
      containers: [
        { name: 'side', image: 's' },
        { name: 'vmcp', image: 'i', env: [] },
      ],
    },
  };
  test.each<[string, ManagedFieldTree, unknown]>([
    ['a member', { 'f:spec': { 'f:replicas': leaf } }, { 'f:spec': { 'f:replicas': 3 } }],
    ['a whole list', { 'f:spec': { 'f:args': leaf } }, { 'f:spec': { 'f:args': ['a', 'b'] } }],
    [
      'a list item by its key',
      { 'f:spec': { 'f:containers': { [vmcp]: { '.': leaf, 'f:image': leaf } } } },
      { 'f:spec': { 'f:containers': { [vmcp]: { '.': true, 'f:image': 'i' } } } },
    ],
    [
      'an item of a set',
      { 'f:metadata': { 'f:finalizers': { 'v:"y"': leaf, 'v:"z"': leaf } } },
      { 'f:metadata': { 'f:finalizers': { 'v:"y"': 'y', 'v:"z"': undefined } } },
    ],
    [
      'undefined for a field that the object does not have',
      { 'f:spec': { 'f:x': { 'f:y': leaf } } },
      { 'f:spec': { 'f:x': undefined } },
    ],
  ])('the controller selects from an object the values at a set of managed fields: %s', (_, fields, expected) =>
    expect(selectValues(value, fields)).toEqual(expected),
  );
});

describe('dropped fields', () => {
  test.each<[string, unknown, ManagedFieldTree, ManagedFieldTree, unknown]>([
    ['are removed', { a: 1, b: 2 }, { 'f:a': leaf }, leaf, { b: 2 }],
    ['stay if another manager owns them', { a: 1, b: 2 }, { 'f:a': leaf, 'f:b': leaf }, { 'f:a': leaf }, { a: 1 }],
    ['are removed with a parent that becomes empty', { a: { b: 1 }, c: 1 }, { 'f:a': { 'f:b': leaf } }, leaf, { c: 1 }],
    [
      'are removed, and an empty parent with an owner stays',
      { a: { b: 1 } },
      { 'f:a': { 'f:b': leaf } },
      { 'f:a': { '.': leaf } },
      { a: {} },
    ],
    [
      'are removed from list items',
      { list: [{ name: 'vmcp', a: 1, b: 2 }] },
      { 'f:list': { [vmcp]: { 'f:a': leaf } } },
      { 'f:list': { [vmcp]: { '.': leaf, 'f:name': leaf } } },
      { list: [{ name: 'vmcp', b: 2 }] },
    ],
    [
      'are removed with a whole list item',
      { list: [{ name: 'vmcp' }, { name: 'b' }] },
      { 'f:list': { [vmcp]: { '.': leaf, 'f:name': leaf } } },
      { 'f:list': { 'k:{"name":"b"}': leaf } },
      { list: [{ name: 'b' }] },
    ],
  ])('fields that the controller no longer owns %s', (_, value, fields, kept, expected) =>
    expect(dropFields(value, fields, kept)).toEqual(expected),
  );
});

test('the union of two sets of managed fields has the fields of both sets', () => {
  expect(uniteFields({ 'f:a': { 'f:b': leaf } }, { 'f:a': { 'f:c': leaf }, 'f:d': leaf })).toEqual({
    'f:a': { 'f:b': leaf, 'f:c': leaf },
    'f:d': leaf,
  });
});

test('the union of a set with a whole member and a set with a field below the member contains the member and the field', () => {
  const whole = { 'f:data': leaf };
  const below = { 'f:data': { 'f:k': leaf } };
  expect(uniteFields(whole, below)).toEqual({ 'f:data': { '.': leaf, 'f:k': leaf } });
  expect(uniteFields(below, whole)).toEqual(uniteFields(whole, below));
  expect(uniteFields(whole, whole)).toEqual(whole);
});

test('a set of managed fields is split into the fields whose path passes a test and the remaining fields', () => {
  const fields = { 'f:a': { 'f:b': { 'f:c': leaf }, 'f:d': leaf }, 'f:e': leaf };
  expect(partition(fields, path => path.join('/') === 'f:a/f:b')).toEqual({
    chosen: { 'f:a': { 'f:b': { 'f:c': leaf } } },
    rest: { 'f:a': { 'f:d': leaf }, 'f:e': leaf },
  });
});
