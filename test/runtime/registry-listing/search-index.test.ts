import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Matches, TrigramIndex } from '../../../runtime/registry/listing/trigram-index.ts';
import { corpus, searchTerms } from '../../bench/registry/corpus.ts';
import { Listing } from './harness.ts';

function all(matches: Matches): number[] {
  const found: number[] = [];
  for (let index = matches.next(); index !== -1; index = matches.next()) found.push(index);
  expect(matches.next()).toBe(-1);
  return found;
}

/** Few different characters, some of which have the same number in the index. */
const unit = fc.constantFrom('a', 'b', 'c', '0', ' ', '/', '(', ';', 'é', 'я', '中', '\u{1F600}', '\0', '\uFFFF');

describe('the index of texts', () => {
  test.each([600, 5])('the search index of %i texts finds the same texts as a search through all texts', count => {
    const texts = fc.array(fc.string({ unit, maxLength: 12 }), { minLength: count, maxLength: count + 20 });
    const terms = fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(texts, terms, fc.nat(count), (texts, terms, from) => {
        const index = new TrigramIndex(texts);
        for (const term of terms) {
          const naive = texts.flatMap((text, place) => (place >= from && text.includes(term) ? [place] : []));
          expect(all(index.find(term, from))).toEqual(naive);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('the search index of the registry finds a word at the end of a text even if the word has only one character', () => {
    const texts = Array.from({ length: 600 }, (_, index) => (index === 300 ? 'x' : index === 301 ? 'ax' : ''));
    const index = new TrigramIndex(texts);
    expect(all(index.find('x', 0))).toEqual([300, 301]);
    expect(all(index.find('ax', 0))).toEqual([301]);
    expect(all(index.find('x', 301))).toEqual([301]);
    expect(all(index.find('x ', 0))).toEqual([]);
  });
});

test('a search in a large registry of two sources finds the same entries as a filter over all entries', () => {
  const entries = [...corpus(2_000)];
  const isOdd = (name: string) => Number(/\d+/.exec(name)?.[0]) % 2 === 1;
  // Half of the servers are in both, so the second source has many shadowed ones.
  const listing = new Listing({ odd: entries.filter(({ server }) => isOdd(server.name)), all: entries });
  for (const term of [...searchTerms(2_000, 60), 'q', 'zq', 'io.', 'ME', 'по']) {
    const search = term.toUpperCase();
    const found = entries.filter(({ server }) =>
      [server.name, server.title, server.description].some(text =>
        String(text).toLowerCase().includes(term.toLowerCase()),
      ),
    );
    const names = new Set(found.map(({ server }) => `${server.name}@1.4.2`));
    expect(listing.walk({ search, version: 'latest', limit: '1000' }), term).toEqual([...names]);
    expect(listing.walk({ search, limit: '1000' })).toHaveLength(found.length);
  }
});
