import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listUriVariants } from '#shared/plan';

describe('a URI that servers read in one way only', () => {
  test.each([
    'doc:///public/a',
    'memo://one',
    'doc:///public/a b',
    'doc:///public/a%20b',
    'doc:///public/größe',
    'doc:///public/gr%C3%B6%C3%9Fe',
    'doc:///public/gr%c3%b6%c3%9fe',
    'doc:///public/{+path}',
    'doc:///a?path=../b#../c',
    'doc:///public/...',
    'doc:///public/100%25',
    'doc:///public/100%2525',
    'doc:///public/.hidden',
    'doc:///public//a',
    'db://Table/row',
    'urn:example:a',
    'a name without a scheme',
    '',
  ])('the resource URI %j has only one reading', uri => {
    expect(listUriVariants(uri)).toEqual([]);
  });
});

describe('a URI that is another one', () => {
  test.each([
    ['doc:///public/../private/a', 'doc:///private/a'],
    ['doc:///public/./a', 'doc:///public/a'],
    ['doc:///public/..', 'doc:///'],
    ['doc:///../../private', 'doc:///private'],
    ['doc:///public/%2e%2E/private', 'doc:///private'],
    ['doc:///public/.%2e/private', 'doc:///private'],
    ['doc:///public/..%2fprivate', 'doc:///private'],
    ['doc:///public/a%2Fb', 'doc:///public/a/b'],
    ['doc:///public/%252e%252e/private', 'doc:///private'],
    ['doc:///public/..%25252fprivate', 'doc:///private'],
    ['doc:///%70rivate', 'doc:///private'],
    ['doc:///pri\tva\nte', 'doc:///private'],
    [' doc:///private ', 'doc:///private'],
    ['DOC:///private', 'doc:///private'],
    ['file:///public\\..\\private', 'file:///private'],
    ['file:///public/..%5cprivate', 'file:///private'],
    ['doc:///public\\..\\private', 'doc:///private'],
    ['doc:///public/x\\..\\..\\private', 'doc:///private'],
    ['doc:///public\\a?x=\\b', 'doc:///public/a?x=\\b'],
    ['file:/private', 'file:///private'],
    ['http://EXAMPLE.com:80/a', 'http://example.com/a'],
    // Paths that `URL` does not treat as paths.
    ['doc:public/../private', 'doc:private'],
    ['public/../private', 'private'],
    ['doc:///größe/../private', 'doc:///private'],
    ['doc:///a b/../ö c', 'doc:///ö c'],
  ])('the resource URI %j may be read as %j', (uri, other) => {
    expect(listUriVariants(uri)).toEqual([other]);
  });

  test('a resource URI with slashes in a row may be read as a path in which they count as one', () => {
    expect(listUriVariants('doc:///public/x//../../private')).toEqual(['doc:///public/private', 'doc:///private']);
    expect(listUriVariants('doc:///public/x/\\..\\..\\private')).toEqual(['doc:///public/private', 'doc:///private']);
    expect(listUriVariants('doc:///public/x/%2f..%2f../private')).toContain('doc:///private');
    expect(listUriVariants('public//../private')).toContain('private');
  });

  test('a resource URI may be read in several ways by several servers', () => {
    expect(listUriVariants('doc:///a/../b/..%2fc')).toEqual(['doc:///b/..%2fc', 'doc:///c']);
  });
});

test('the readings of a resource URI include every reading of the official SDKs, apart from encoded characters', () => {
  const segment = fc.constantFrom(
    'a',
    '..',
    '.',
    '%2e',
    '%2E%2e',
    '%2f',
    'b%2fc',
    'ö',
    ' ',
    '%C3%B6',
    '\\',
    '\t',
    '{x}',
    '',
  );
  const start = fc.constantFrom('doc:///', 'file:///', 'http://h/', 'DOC:///', 'x:', 'memo://h/');
  fc.assert(
    fc.property(start, fc.array(segment, { maxLength: 6 }), (before, segments) => {
      const uri = before + segments.join('/');
      // `URL` removes tabs: `x:` and two slashes with only tabs between them is an invalid host.
      fc.pre(URL.canParse(uri));
      const read = encodeURI(decodeURI(new URL(uri).href));
      const known = [uri, ...listUriVariants(uri)].map(one => encodeURI(decodeURI(one)));
      expect(known).toContain(read);
    }),
  );
});
