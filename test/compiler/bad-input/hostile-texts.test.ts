/** Texts that could crash the compiler, make it hang or exhaust its memory: each gives its finding within a time limit. */
import { expect, test } from 'vitest';
import { KINDS_FILE } from '#schemas';
import { gateway, gatewayConfig, object } from '../../support/rule.ts';
import { compileText, expectSound, inTime, listCodes } from './compiling.ts';

const MEGABYTE = 2 ** 20;

function laughs(levels: number, each: number): string {
  const list = (level: number): string => `a${level + 1}: &a${level + 1} [${Array(each).fill(`*a${level}`)}]\n`;
  return `a0: &a0 [${Array(each).fill('lol')}]\n${Array.from({ length: levels }, (_, level) => list(level)).join('')}`;
}

function block(levels: number, line: (indent: string) => string): string {
  return Array.from({ length: levels }, (_, level) => line(' '.repeat(level))).join('\n');
}

const sound = gateway('incomingAuth: { type: anonymous }');
const longKey = 'k'.repeat(MEGABYTE);
const longText = 'x'.repeat(MEGABYTE);

const texts: readonly [name: string, file: string, text: string, codes: readonly string[]][] = [
  ['a billion laughs by aliases', 'a.yaml', laughs(9, 9), ['LNT1017']],
  ['a billion laughs within the limit of aliases', 'a.yaml', laughs(3, 33), ['LNT1017']],
  [
    'a billion laughs by merge keys',
    'a.yaml',
    laughs(9, 9).replaceAll('[', '{ <<: [').replaceAll(']', '] }'),
    ['LNT1001'],
  ],
  ['a billion laughs in a spec', 'a.yaml', `${sound}${laughs(9, 9).replace(/^/gm, '  ')}`, ['LNT1017']],
  ['an alias inside of its anchor', 'a.yaml', 'a: &a [*a]\n', ['LNT1001']],
  ['an alias deep inside of its anchor', 'a.yaml', 'a: &a { b: [{ c: *a }] }\n', ['LNT1001']],
  ['a mapping that merges itself', 'a.yaml', 'a: &a { <<: *a }\n', ['LNT1001']],
  ['10,000 levels of YAML flow lists', 'a.yaml', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, ['LNT1017']],
  ['10,000 levels of YAML flow mappings', 'a.yaml', '{ a: '.repeat(10_000) + '}'.repeat(10_000), ['LNT1017']],
  ['10,000 levels of YAML block lists', 'a.yaml', `${'- '.repeat(10_000)}x`, ['LNT1017']],
  ['2,500 levels of YAML block mappings', 'a.yaml', block(2500, indent => `${indent}a:`), ['LNT1017']],
  ['10,000 levels of JSON lists', 'a.json', '['.repeat(10_000) + ']'.repeat(10_000), ['LNT1017']],
  ['10,000 levels of JSON objects', 'a.json', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, ['LNT1017']],
  ['10,000 levels in a free-form field', 'a.yaml', `${sound}  podTemplateSpec: ${'{ a: '.repeat(10_000)}`, ['LNT1017']],
  ['CRLF and a byte order mark', 'a.yaml', `\ufeff${sound.replaceAll('\n', '\r\n')}`, ['LNT2001']],
  ['10,001 documents', 'a.yaml', '---\na: 1\n'.repeat(10_001), ['LNT1017']],
  ['10,001 items of a List', 'a.json', `{"kind":"List","items":[${Array(10_001).fill('{}')}]}`, ['LNT1017']],
  ['a million commas', 'a.yaml', ','.repeat(1_000_000), ['LNT1001']],
  ['a million values', 'a.json', `[${'0,'.repeat(1_000_000)}0]`, ['LNT1017']],
  ['8 MB of spaces', 'a.yaml', ' '.repeat(8 * MEGABYTE), []],
  ['1 MB of line breaks', 'a.yaml', '\n'.repeat(MEGABYTE), []],
  ['8 MB of a comment', 'a.yaml', `#${'x'.repeat(8 * MEGABYTE - 1)}`, []],
  ['an open quote of 8 MB', 'a.yaml', `a: "${'x\n'.repeat(4 * MEGABYTE - 4)}`, ['LNT1001']],
  ['the word "kind" many times in 1 MB', 'a.yaml', `a: ${'kind '.repeat(MEGABYTE / 5)}`, []],
  ['a key of 1 MB', 'a.yaml', `${sound}  ? ${longKey}\n  : 1\n`, ['LNT2001', 'LNT1003']],
  ['a key of 1 MB that is too long', 'a.yaml', `${sound}  ${longKey}: 1\n`, ['LNT1001']],
  [
    'a key of 1 MB in JSON',
    'a.json',
    JSON.stringify({ apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup', [longKey]: 1 }),
    ['LNT1019'],
  ],
  ['a kind of 1 MB', 'a.yaml', sound.replace('VirtualMCPServer', longText), ['LNT1007']],
  ['an API version of 1 MB', 'a.yaml', sound.replace('/v1beta1', `/${longText}`), ['LNT1011']],
  ['a name of 1 MB', 'a.yaml', sound.replace('name: it', `name: ${longText}`), ['LNT1019']],
  ['a reference of 1 MB', 'a.yaml', sound.replace('name: tools', `name: ${longText}`), ['LNT2001']],
  ['1 MB in place of an enum value', 'a.yaml', gateway(`incomingAuth: { type: ${longText} }`), ['LNT2001', 'LNT1011']],
  [
    '1 MB of digits in place of a number',
    'a.yaml',
    gateway(`replicas: ${'9'.repeat(MEGABYTE)}\n  incomingAuth: { type: anonymous }`),
    ['LNT1014'],
  ],
  [
    '4 MB in place of a duration',
    'a.yaml',
    gatewayConfig(`{ operational: { timeouts: { default: "${'1s'.repeat(2 * MEGABYTE)}" } } }`),
    ['LNT2001', 'LNT1013'],
  ],
];

test.each(texts)('lintel check handles hostile text in time: %s', (_, file, text, codes) => {
  const compiled = inTime(() => compileText(text, file));
  expectSound(compiled);
  expect(listCodes(compiled)).toEqual(codes);
  const { compilation, json } = compiled;
  const isUnread = codes.includes('LNT1017');
  expect(compilation.checked.complete).toBe(!isUnread);
  // Repeated text in a message is truncated.
  expect(json.length).toBeLessThan(3 * MEGABYTE);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'])(
  'the compiler survives the name %s in every place where a spec has a name',
  name => {
    const texts = Object.keys(KINDS_FILE).map(
      kind => `${object(kind, `{ ${name}: 1, config: { ${name}: { ${name}: x } } }`, name)}${name}: 1\n`,
    );
    const backends = gatewayConfig(
      `{ backends: [{ name: ${name}, url: "https://a.example.com", transport: sse }], operational: { timeouts: { perWorkload: { ${name}: 5s } } } }`,
    );
    const compiled = inTime(() =>
      compileText([...texts, backends, sound.replace(/name: \w+/g, `name: ${name}`)].join('---\n')),
    );
    expectSound(compiled);
    expect(compiled.compilation.findings.counts.error).toBeGreaterThan(0);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  },
);

test('the compiler survives objects without a spec, and references to these objects', () => {
  const bare = Object.keys(KINDS_FILE).map(kind => object(kind, '', 'sample').replace('spec: ', ''));
  const compiled = inTime(() => compileText([...bare, sound].join('---\n')));
  expectSound(compiled);
  expect(listCodes(compiled)).toContain('LNT1010');
});
