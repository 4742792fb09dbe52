/** How `lintel diff` reports changes of super admins, filters and bundled entries of a registry server. */
import { describe, expect, test } from 'vitest';
import { diffExposure, type RegistryExposure, renderDifferenceMarkdown } from '#compiler';
import { compileExposure, EVERYTHING } from '../exposure/registry/sample.ts';
import { compileFiles } from '../registry/compiling.ts';

const ADMINS = '[{ groups: admins, org: example }, { sub: root }, {}]';

function withAdmins(rules: string): RegistryExposure {
  return compileExposure(EVERYTHING.replace(ADMINS, rules));
}

describe('super admins', () => {
  test.each([
    ['an alternative in place of a requirement', '[{ a: x, b: y }]', '[{ a: x }, { b: y }]', 'wider'],
    ['a further rule', '[{ a: x }]', '[{ a: x }, { b: y }]', 'wider'],
    ['a further value', '[{ a: [x] }]', '[{ a: [x, y] }]', 'wider'],
    ['one claim fewer', '[{ a: x, b: y }]', '[{ a: x }]', 'wider'],
    ['another claim', '[{ a: x }]', '[{ b: x }]', 'mixed'],
    ['a rule in place of an empty rule', '[{}]', '[{ b: x }]', 'wider'],
    ['the same in another order', '[{ a: x }, { b: y }]', '[{ b: y }, { a: x }]', 'equivalent'],
    ['a further rule that an existing rule includes', '[{ a: x }]', '[{ a: x }, { a: x, b: y }]', 'equivalent'],
  ] as const)('lintel diff of a change of super admins is $3: %s', (_, before, after, classification) => {
    const found = diffExposure(withAdmins(before), withAdmins(after));
    expect(found.classification).toBe(classification);
    const alarms = found.changes.flatMap(one => one.alarms);
    expect(alarms).toEqual(classification === 'equivalent' ? [] : ['allEntries']);
    const back = diffExposure(withAdmins(after), withAdmins(before));
    expect(back.classification).toBe(classification === 'wider' ? 'narrower' : classification);
    if (classification === 'wider') expect(back.changes.flatMap(one => one.alarms)).toEqual([]);
  });

  test('lintel diff lists additional super admins and a removed authz section of a registry server first', () => {
    const wider = diffExposure(withAdmins('[{ a: x, b: y }]'), withAdmins('[{ a: x }]'));
    const gone = diffExposure(
      compileExposure(EVERYTHING),
      compileExposure(EVERYTHING.slice(0, EVERYTHING.indexOf('  authz:'))),
    );
    expect([wider, gone].map(one => renderDifferenceMarkdown([one], { color: false }))).toEqual([
      expect.stringMatching(/Look at these first[^#]*more callers may see every entry<br>may see: /),
      expect.stringMatching(/Look at these first[^#]*more callers may see every entry<br>may see: /),
    ]);
  });
});

const FETCHED = 'file: { url: "https://vendor.example.com/list.json" }, syncPolicy: { interval: 5m }';

/** A source that the server reads, alone, before or behind another one. */
function fetched(filter: string, sources = '[vendor]'): RegistryExposure {
  return compileExposure(`sources:
  - { name: vendor, ${FETCHED}${filter === '' ? '' : `, filter: ${filter}`} }
  - { name: other, file: { path: /data/other.json } }
registries: [{ name: all, sources: ${sources} }]
auth: { mode: anonymous }
`);
}

describe('a filter of a source that the server reads', () => {
  const NAMES = '{ names: { include: ["com.a/*"], exclude: ["com.a/x*"] } }';
  test.each([
    ['is removed', NAMES, '', 'wider'],
    ['includes more names', NAMES, '{ names: { include: ["com.*"], exclude: ["com.a/x*"] } }', 'wider'],
    ['excludes fewer names', NAMES, '{ names: { include: ["com.a/*"], exclude: ["com.a/xy*"] } }', 'wider'],
    ['includes and excludes more names', NAMES, '{ names: { include: ["*"], exclude: ["com.a/*"] } }', 'mixed'],
    ['includes other names', NAMES, '{ names: { include: ["com.b/*"], exclude: ["com.a/x*"] } }', 'mixed'],
    [
      'no longer excludes a tag, so that another version may be the latest',
      '{ tags: { exclude: [beta] } }',
      '',
      'mixed',
    ],
  ] as const)('lintel diff says $3 if the filter of a registry source %s', (_, before, after, classification) => {
    expect(diffExposure(fetched(before), fetched(after)).classification).toBe(classification);
    expect(diffExposure(fetched(after), fetched(before)).classification).toBe(
      classification === 'wider' ? 'narrower' : classification,
    );
  });

  test.each([
    ['[vendor, other]', 'mixed'],
    ['[other, vendor]', 'wider'],
  ])(
    'lintel diff of a removed filter of the source "vendor", with the sources in the order %s, is $1',
    (sources, classification) => {
      expect(diffExposure(fetched(NAMES, sources), fetched('', sources)).classification).toBe(classification);
    },
  );

  test('lintel diff shows the names that a removed filter of a registry source included and excluded', () => {
    const found = diffExposure(fetched(NAMES), fetched(''));
    expect(found.changes.flatMap(({ aspects }) => aspects)).toMatchObject([
      { name: 'filter', before: 'names com.a/*; without names com.a/x*', after: 'none' },
    ]);
  });
});

/** Such as `com.corp/a@2`. */
function entry(text: string) {
  const [name, version = '1'] = text.split('@');
  return { name, description: 'A server.', version: `${version}.0.0` };
}

const entriesText = (servers: readonly object[]): string => JSON.stringify({ data: { servers } });

/** A source of which the entries are in the bundle. */
function bundled(
  names: readonly string[],
  filter = '',
  others: readonly string[] = ['com.corp/other'],
): RegistryExposure {
  const text = `registryName: company
sources:
  - { name: own, file: { path: own.json }${filter === '' ? '' : `, filter: ${filter}`} }
  - { name: more, file: { path: more.json } }
registries: [{ name: all, sources: [own, more] }]
auth: { mode: anonymous }
`;
  const files = {
    'company.yaml': text,
    'own.json': entriesText(names.map(entry)),
    'more.json': entriesText(others.map(entry)),
  };
  const exposure = compileFiles(files).registries[0]?.exposure();
  if (!exposure) throw new Error('no exposure');
  return exposure;
}

describe('entries in the bundle', () => {
  const ALL = ['com.corp/a', 'com.corp/b'];
  test.each([
    ['a further entry', ['com.corp/a'], ALL, 'wider', 'entries: + com.corp/b'],
    ['one entry fewer', ALL, ['com.corp/a'], 'narrower', 'entries: - com.corp/b'],
    [
      'another entry in place of an entry',
      ['com.corp/a'],
      ['com.corp/b'],
      'mixed',
      'entries: + com.corp/b, - com.corp/a',
    ],
    [
      'another version of an entry',
      ['com.corp/a@1'],
      ['com.corp/a@2'],
      'mixed',
      'entries with another content: com.corp/a',
    ],
    [
      'a further entry that a later source has too',
      ['com.corp/a'],
      ['com.corp/a', 'com.corp/other'],
      'mixed',
      'entries: + com.corp/other',
    ],
  ])(
    'lintel diff of a change of the registry entries in the bundle is $3: %s',
    (_, before, after, classification, text) => {
      const found = diffExposure(bundled(before), bundled(after));
      expect(found.classification).toBe(classification);
      const markdown = renderDifferenceMarkdown([found], { color: false });
      expect(markdown).toContain(text);
    },
  );

  test('lintel diff decides about a removed filter by the entries that the filter excluded', () => {
    const found = diffExposure(bundled(ALL, '{ names: { exclude: ["com.corp/b"] } }'), bundled(ALL));
    expect(found.classification).toBe('wider');
    expect(found.changes.flatMap(({ aspects }) => aspects).map(({ name, effect }) => [name, effect])).toEqual([
      ['filter', 'same'],
      ['entries', 'wider'],
    ]);
  });

  test('lintel diff of a removed filter that excluded no entry is equivalent', () => {
    const found = diffExposure(bundled(ALL, '{ names: { exclude: ["com.else/*"] } }'), bundled(ALL));
    expect([found.classification, found.change]).toEqual(['equivalent', 'changed']);
  });

  test('lintel diff of an exposure file from an earlier version, which has no entry names, is mixed', () => {
    const older = (side: RegistryExposure): RegistryExposure => ({
      ...side,
      sources: side.sources.map(({ offers: _, filter: __, ...one }) => one),
    });
    expect(diffExposure(older(bundled(['com.corp/a'])), bundled(ALL)).classification).toBe('mixed');
  });
});
