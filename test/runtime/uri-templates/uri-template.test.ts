import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUriTemplate } from '#shared/plan';
import { backtrackingMatcher } from './backtracking-matcher.ts';

const rows: { template: string; yes: string[]; no: string[] }[] = [
  {
    template: 'note:///{name}',
    yes: ['note:///a', 'note:///a%20b', 'note:///'],
    no: ['note:///a/b', 'note://x/a', 'notes:///a'],
  },
  { template: 'file:///{+path}', yes: ['file:///a/b/c.txt', 'file:///'], no: ['file://host/a'] },
  { template: 'db://{schema}/{table}', yes: ['db://public/users'], no: ['db://public', 'db://a/b/c'] },
  {
    template: 'x://list{?page,size}',
    yes: ['x://list', 'x://list?page=1', 'x://list?page=1&size=2'],
    no: ['x://list#a', 'x://lists'],
  },
  { template: 'x://a{/rest*}', yes: ['x://a', 'x://a/b', 'x://a/b/c'], no: ['x://ab'] },
  { template: 'x://a{.ext}', yes: ['x://a.md', 'x://a'], no: ['x://amd'] },
  { template: 'x://a{#part}', yes: ['x://a#top', 'x://a'], no: ['x://a?b'] },
  { template: 'x://a.b(c)[d]', yes: ['x://a.b(c)[d]'], no: ['x://aXb(c)[d]'] },
  { template: 'x://{name:3}', yes: ['x://abc'], no: ['x://a/b'] },
  { template: 'x://{a,b}', yes: ['x://1,2', 'x://1', 'x://,'], no: ['x://1,2,3'] },
  { template: 'x://a{/b,c}', yes: ['x://a/1/2', 'x://a/1', 'x://a'], no: ['x://a/1/2/3'] },
  { template: 'pkg://{name}-{version}', yes: ['pkg://a-b-1', 'pkg://-'], no: ['pkg://a', 'pkg://a-1/b'] },
  // After a partial match, the rest of the literal may begin again.
  { template: 'x://{a}aab{b}', yes: ['x://aaab', 'x://aaaaabaab'], no: ['x://aaba/'] },
  { template: 'x://{a}abab/{b}', yes: ['x://ababab/'], no: ['x://abab'] },
  { template: 'x://ü/{a}é', yes: ['x://ü/é', 'x://ü/ñé'], no: ['x://u/e'] },
];

describe('URI templates (RFC 6570)', () => {
  test.each(rows)('the URI template $template matches the right URIs', ({ template, yes, no }) => {
    const read = readUriTemplate(template);
    for (const uri of yes) expect(read?.matches(uri), uri).toBe(true);
    for (const uri of no) expect(read?.matches(uri), uri).toBe(false);
  });

  test.each([
    'x://{',
    'x://{}',
    'x://a}',
    'x://{a b}',
    'x://{!a}',
    `x://${'a'.repeat(3000)}`,
    `x://${'{a}'.repeat(33)}`,
    `x://{${Array(33).fill('a')}}`,
    'x://{größe}',
    'x://{a{b}}',
  ])('the gateway refuses the URI template %j', template => expect(readUriTemplate(template)).toBeUndefined());

  test('the gateway accepts a URI template with 200 variables in one query expression', () => {
    expect(readUriTemplate(`x://a{?${Array(200).fill('name')}}`)?.matches('x://a?name=1')).toBe(true);
  });

  test('a URI template matches every expansion by the official SDK', () => {
    const value = fc.stringMatching(/^[A-Za-z0-9 _.~-]{1,12}$/);
    const template = fc.constantFrom('x://{a}/{b}', 'x://{+a}', 'x://p{/a}', 'x://q{?a,b}', 'x://f{#a}', 'x://e{.a}');
    fc.assert(
      fc.property(template, value, value, (text, a, b) => {
        expect(readUriTemplate(text)?.matches(new UriTemplate(text).expand({ a, b }))).toBe(true);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test('a URI template matches the same URIs as a regular expression that is made of the template', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aab-,./;?&#=%é\n'), maxLength: 4 });
    const variables = fc.array(fc.constantFrom('a', 'b*', 'c:3'), { minLength: 1, maxLength: 3 });
    const expression = fc
      .tuple(fc.constantFrom('', ...'+#./;?&'), variables)
      .map(([operator, names]) => `{${operator}${names}}`);
    const template = fc.array(fc.oneof(text, expression), { maxLength: 6 }).map(parts => parts.join(''));
    const uri = fc.string({ unit: fc.constantFrom(...'aab-,./;?&#=%é\n'), maxLength: 12 });
    let matched = 0;
    fc.assert(
      fc.property(template, fc.array(uri, { minLength: 8, maxLength: 8 }), (template, uris) => {
        const read = readUriTemplate(template);
        const expected = backtrackingMatcher(template);
        // Text that resembles the template is more likely to match.
        for (const uri of [
          ...uris,
          template.replaceAll(/\{.([^}]*)\}/g, '$1'),
          template.replaceAll(/\{[^}]*\}/g, ''),
        ]) {
          expect(read?.matches(uri), `${template} ${uri}`).toBe(expected.test(uri));
          if (expected.test(uri)) matched++;
        }
      }),
      { seed: 12, numRuns: 3000 },
    );
    expect(matched).toBeGreaterThan(3000);
  });
});
