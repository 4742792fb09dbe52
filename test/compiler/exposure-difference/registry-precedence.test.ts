/** How `lintel diff` reports that a caller sees other sources of a registry. If several sources have a server, the first source hides the others. */
import { describe, expect, test } from 'vitest';
import { diffExposure, type RegistryExposure } from '#compiler';
import { compileExposure, EVERYTHING } from '../exposure/registry/sample.ts';
import { compileFiles } from '../registry/compiling.ts';

const entriesText = (names: readonly string[]): string =>
  JSON.stringify({ data: { servers: names.map(name => ({ name, description: 'A server.', version: '1.0.0' })) } });

/** A registry server whose sources are in the bundle, and whose registry lists some of them, in the order of precedence. */
function bundled(sources: string, first: readonly string[], second: readonly string[]): RegistryExposure {
  const text = `registryName: company
sources:
  - { name: first, file: { path: first.json } }
  - { name: second, file: { path: second.json } }
registries:
  - { name: all, sources: [${sources}] }
  - { name: rest, sources: [first, second] }
auth: { mode: anonymous }
`;
  const files = { 'company.yaml': text, 'first.json': entriesText(first), 'second.json': entriesText(second) };
  const exposure = compileFiles(files).registries[0]?.exposure();
  if (!exposure) throw new Error('no exposure');
  return exposure;
}

const classify = (before: RegistryExposure, after: RegistryExposure): string =>
  diffExposure(before, after).classification;

describe('a source that is removed from a registry', () => {
  const apart = (sources: string) => bundled(sources, ['com.corp/a'], ['com.corp/b']);
  const shared = (sources: string) => bundled(sources, ['com.corp/a', 'com.corp/b'], ['com.corp/b']);

  test.each([
    ['a removed first source gives back the names that it hid', shared, 'first, second', 'second', 'mixed', 'mixed'],
    ['a removed first source hid no names of the second source', apart, 'first, second', 'second', 'narrower', 'wider'],
    ['a removed last source hid no names', shared, 'first, second', 'first', 'narrower', 'wider'],
    ['a removed source changes the order of the others', shared, 'first, second', 'second, first', 'mixed', 'mixed'],
  ] as const)(
    'lintel diff of a registry says $4, and $5 if the two sides are swapped: %s',
    (_, of, before, after, forth, back) => {
      expect([classify(of(before), of(after)), classify(of(after), of(before))]).toEqual([forth, back]);
    },
  );
});

/** Sources that the server reads: what they offer is not known. The first one is for callers with one of these claims. */
const read = (org: string): RegistryExposure =>
  compileExposure(`sources:
  - { name: first, file: { path: /data/first.json }, claims: { org: ${org} } }
  - { name: second, file: { path: /data/second.json }, claims: { org: [a, b] } }
registries: [{ name: all, sources: [first, second], claims: { org: [a, b] } }]
auth:
  oauth:
    resourceUrl: https://registry.example.com/mcp/
    providers: [{ name: people, issuerUrl: "https://login.example.com/", audience: registry }]
  authz: { roles: {} }
`);

test('lintel diff calls a change mixed if callers lose a registry source that may have hidden entries of another source', () => {
  expect(classify(read('[a, b]'), read('[a]'))).toBe('mixed');
});

test('lintel diff calls a change mixed if one registry of a registry server becomes narrower and another registry wider', () => {
  const before = compileExposure(EVERYTHING);
  const after = compileExposure(EVERYTHING.replace('claims: { org: [partner, example] }', 'claims: { org: partner }'));
  expect(classify(before, after)).toBe('narrower');
  const { registries, ...others } = after.plan ?? {};
  const opened = (registries as readonly { readonly name: string }[]).map(one =>
    one.name === 'staff' ? { ...one, claims: { org: ['everyone'] } } : one,
  );
  expect(classify(before, { ...after, plan: { ...others, registries: opened } })).toBe('mixed');
});

test('lintel diff raises an alarm for a new source that callers without a token see, although it may hide entries of another source', () => {
  const open = (sources: string) =>
    compileExposure(`sources:
  - { name: first, file: { path: /data/first.json } }
  - { name: second, file: { path: /data/second.json } }
registries: [{ name: all, sources: ${sources} }]
auth: { mode: anonymous }
`);
  const alarms = (before: string, after: string) =>
    diffExposure(open(before), open(after)).changes.flatMap(change => change.alarms);
  expect(alarms('[second]', '[first, second]')).toEqual(['anonymous']);
  expect(alarms('[first, second]', '[second, first]')).toEqual([]);
});
