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
      'an item by its key',
      { 'f:spec': { 'f:containers': { [vmcp]: { '.': leaf, 'f:image': leaf } } } },
      { 'f:spec': { 'f:containers': { [vmcp]: { '.': true, 'f:image': 'i' } } } },
    ],
    [
      'an item of a set',
      { 'f:metadata': { 'f:finalizers': { 'v:"y"': leaf, 'v:"z"': leaf } } },
      { 'f:metadata': { 'f:finalizers': { 'v:"y"': 'y', 'v:"z"': undefined } } },
    ],
    ['what is not there', { 'f:spec': { 'f:x': { 'f:y': leaf } } }, { 'f:spec': { 'f:x': undefined } }],
  ])('are those of %s', (_, fields, expected) => expect(selectValues(value, fields)).toEqual(expected));
});

describe('dropped fields', () => {
  test.each<[string, unknown, ManagedFieldTree, ManagedFieldTree, unknown]>([
    ['go', { a: 1, b: 2 }, { 'f:a': leaf }, leaf, { b: 2 }],
    ['stay where somebody else has them', { a: 1, b: 2 }, { 'f:a': leaf, 'f:b': leaf }, { 'f:a': leaf }, { a: 1 }],
    ['take what is left empty with them', { a: { b: 1 }, c: 1 }, { 'f:a': { 'f:b': leaf } }, leaf, { c: 1 }],
    [
      'leave an empty member to its owner',
      { a: { b: 1 } },
      { 'f:a': { 'f:b': leaf } },
      { 'f:a': { '.': leaf } },
      { a: {} },
    ],
    [
      'go from items',
      { list: [{ name: 'vmcp', a: 1, b: 2 }] },
      { 'f:list': { [vmcp]: { 'f:a': leaf } } },
      { 'f:list': { [vmcp]: { '.': leaf, 'f:name': leaf } } },
      { list: [{ name: 'vmcp', b: 2 }] },
    ],
    [
      'are whole items',
      { list: [{ name: 'vmcp' }, { name: 'b' }] },
      { 'f:list': { [vmcp]: { '.': leaf, 'f:name': leaf } } },
      { 'f:list': { 'k:{"name":"b"}': leaf } },
      { list: [{ name: 'b' }] },
    ],
  ])('%s', (_, value, fields, kept, expected) => expect(dropFields(value, fields, kept)).toEqual(expected));
});

test('a union has the fields of both', () => {
  expect(uniteFields({ 'f:a': { 'f:b': leaf } }, { 'f:a': { 'f:c': leaf }, 'f:d': leaf })).toEqual({
    'f:a': { 'f:b': leaf, 'f:c': leaf },
    'f:d': leaf,
  });
});

test('a union keeps the mark that a member itself is owned', () => {
  const whole = { 'f:data': leaf };
  const below = { 'f:data': { 'f:k': leaf } };
  expect(uniteFields(whole, below)).toEqual({ 'f:data': { '.': leaf, 'f:k': leaf } });
  expect(uniteFields(below, whole)).toEqual(uniteFields(whole, below));
  expect(uniteFields(whole, whole)).toEqual(whole);
});

test('a set is split by paths', () => {
  const fields = { 'f:a': { 'f:b': { 'f:c': leaf }, 'f:d': leaf }, 'f:e': leaf };
  expect(partition(fields, path => path.join('/') === 'f:a/f:b')).toEqual({
    chosen: { 'f:a': { 'f:b': { 'f:c': leaf } } },
    rest: { 'f:a': { 'f:d': leaf }, 'f:e': leaf },
  });
});
