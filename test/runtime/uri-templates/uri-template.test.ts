import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { uriTemplateMatcher } from '../../../runtime/gateway/uri-template.ts';

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
];

describe('URI templates (RFC 6570)', () => {
  test.each(rows)('$template', ({ template, yes, no }) => {
    const matches = uriTemplateMatcher(template);
    for (const uri of yes) expect(matches?.(uri), uri).toBe(true);
    for (const uri of no) expect(matches?.(uri), uri).toBe(false);
  });

  test.each([
    'x://{',
    'x://{}',
    'x://a}',
    'x://{a b}',
    'x://{!a}',
    `x://${'a'.repeat(3000)}`,
    `x://${'{a}'.repeat(17)}`,
  ])('refuses %j', template => expect(uriTemplateMatcher(template)).toBeUndefined());

  test('every expansion by the official SDK is matched', () => {
    const value = fc.stringMatching(/^[A-Za-z0-9 _.~-]{1,12}$/);
    const template = fc.constantFrom('x://{a}/{b}', 'x://{+a}', 'x://p{/a}', 'x://q{?a,b}', 'x://f{#a}', 'x://e{.a}');
    fc.assert(
      fc.property(template, value, value, (text, a, b) => {
        expect(uriTemplateMatcher(text)?.(new UriTemplate(text).expand({ a, b }))).toBe(true);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test('a hostile template does not make matching slow', () => {
    const matches = uriTemplateMatcher(`x://${'{+a}'.repeat(4)}end`);
    const started = performance.now();
    matches?.(`x://${'e'.repeat(200)}`);
    // Not a benchmark: exponential backtracking would take years.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
