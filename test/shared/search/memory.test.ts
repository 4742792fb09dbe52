/** Search queries are not kept in memory: after requests of megabytes only their words remain. */
import { expect, test } from 'vitest';
import { queryTerms, toEmbeddedQuery } from '#shared/search';
import { collectGarbage } from '#shared/util';

const MEGABYTE = 1024 * 1024;

function used(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

test('searches with a query of a megabyte leave no memory behind', () => {
  const kept: string[] = [];
  const look = (at: number) => {
    const word = `remembered${String.fromCharCode(97 + (at % 26), 97 + (Math.floor(at / 26) % 26))}word`;
    // A separate string for each request, as from a parser.
    const description = Buffer.from(`${word} ${'a'.repeat(65)} ${'and '.repeat(MEGABYTE / 4)}`).toString('latin1');
    expect(queryTerms({ description })).toHaveLength(1);
    kept.push(toEmbeddedQuery(description));
  };
  look(0);
  const before = used();
  for (let at = 1; at < 100; at += 1) look(at);
  expect(kept).toHaveLength(100);
  expect((used() - before) / MEGABYTE).toBeLessThan(20);
});
