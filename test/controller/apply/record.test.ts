import { describe, expect, test } from 'vitest';
import {
  type Activation,
  createRecord,
  parseActivations,
  withActivation,
  withActivations,
} from '../../../controller/apply/record.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';

interface Unit {
  readonly digest: string;
  readonly manifests: readonly KubeObject[];
}

const unit = (digest: string, image = 'runtime:1'): Unit => ({
  digest,
  manifests: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `g-${digest}`, annotations: { 'lintel.dev/bundle-digest': digest } },
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'g', namespace: 'ns' }, spec: { image } },
  ],
});

const activatedBy = (...units: readonly Unit[]): readonly Activation[] =>
  units.reduce<readonly Activation[]>((known, one, at) => withActivation(known, one, `t${at}`) ?? known, []);

const digests = (activations: readonly Activation[]): readonly string[] => activations.map(({ digest }) => digest);

const images = (activations: readonly Activation[]): readonly unknown[] =>
  activations.map(({ manifests }) => (manifests?.[0]?.spec as { image: string } | undefined)?.image);

describe('activations', () => {
  test('the bundle history of a gateway begins with the newest bundle, and has the ConfigMap of each bundle', () => {
    const known = activatedBy(unit('a', '1'), unit('b', '2'), unit('c', '3'));
    expect(digests(known)).toEqual(['c', 'b', 'a']);
    expect(images(known)).toEqual(['3', '2', undefined]);
    expect(known.map(({ configMaps }) => configMaps)).toEqual([['g-c'], ['g-b'], ['g-a']]);
    expect(known.map(({ since }) => since)).toEqual(['t2', 't1', 't0']);
  });

  test('the bundle history of a gateway has the last five bundles that were active', () => {
    const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(digest => unit(digest));
    expect(digests(activatedBy(...seven))).toEqual(['g', 'f', 'e', 'd', 'c']);
  });

  test('a restored bundle moves to the beginning of the bundle history and is listed once', () => {
    expect(digests(activatedBy(unit('a'), unit('b'), unit('c'), unit('a')))).toEqual(['a', 'c', 'b']);
  });

  test('the bundle history of a gateway does not change while the same bundle stays active', () => {
    expect(withActivation(activatedBy(unit('a')), unit('a'), 'later')).toBeUndefined();
  });

  test('the bundle history of a gateway has the former image of the active bundle until the next bundle is active', () => {
    const twice = activatedBy(unit('a', '1'), unit('a', '2'));
    expect(images(twice)).toEqual(['2', '1']);
    expect(digests(activatedBy(unit('a', '1'), unit('a', '2'), unit('b')))).toEqual(['b', 'a']);
  });
});

test('the bundle history is the same after the controller wrote it into a release record and read it back', () => {
  const record = createRecord(unit('a')) as KubeObject;
  const known = activatedBy(unit('a'), unit('b'));
  expect(record.metadata).toEqual({ name: 'g-history', namespace: 'ns' });
  expect(parseActivations(withActivations(record, known))).toEqual(known);
});

test.each([
  ['has no data', undefined],
  ['is empty', {}],
  ['is not JSON', { 'activations.json': '{' }],
  ['is not a list', { 'activations.json': '{}' }],
  ['is a list of other values', { 'activations.json': '[null, 1, {"digest": 2}]' }],
])('the controller reads an empty bundle history from a release record that %s', (_, data) => {
  expect(parseActivations({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'r' }, data })).toEqual([]);
});
