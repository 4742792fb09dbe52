import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolIndex, toEmbeddedText } from '#shared/search';
import { namesFound, SETTINGS, tool } from './tools.ts';

const TOOLS = [tool('p', 'words'), tool('q'), tool('r', 'words and words'), tool('s')];
const VECTORS = [
  [0, 1, 0],
  [0.9, 0.1, 0],
  [1, 1, 0],
  [-1, 0, 0],
];

const found = (settings: Partial<typeof SETTINGS>, query: readonly number[] = [2, 0, 0]) =>
  namesFound(TOOLS, 'words', settings, { of: VECTORS, query });

test('a search only by meaning ranks the nearest vectors first, without regard to the words', () =>
  expect(found({ semanticRatio: 1 })).toEqual(['q', 'r', 'p', 's']));

test('a search only by keywords ignores the meaning', () => expect(found({ semanticRatio: 0 })).toEqual(['r', 'p']));

test('a search by meaning does not find tools beyond the distance threshold', () =>
  expect(found({ semanticRatio: 1, distanceThreshold: 0.5 })).toEqual(['q', 'r']));

test('a search by keywords and meaning ranks first a tool that both searches find', () =>
  expect(found({ semanticRatio: 0.5 })[0]).toBe('r'));

test('a search without an embedding of the query uses only keywords, at any ratio', () =>
  expect(namesFound(TOOLS, 'words', { semanticRatio: 1 }, { of: VECTORS })).toEqual(['r', 'p']));

test('a search finds a tool that has no embedding by its words', () =>
  expect(namesFound(TOOLS, 'words', { distanceThreshold: 1 }, { of: VECTORS.slice(0, 2), query: [2, 0, 0] })).toEqual(
    expect.arrayContaining(['q', 'r']),
  ));

test('the search index refuses an embedding of another length', () => {
  const index = new ToolIndex();
  const id = index.add(tool('a'));
  index.embed(id, [1, 2]);
  expect(() => index.embed(id, [1, 2, 3])).toThrow('an embedding has 3 numbers where others have 2');
});

test('an embedding that is set again replaces the former embedding of the tool', () => {
  const index = new ToolIndex();
  const ids = Array.from({ length: 600 }, (_, at) => index.add(tool(`t${at}`)));
  for (const id of ids) index.embed(id, [1, 0]);
  index.embed(599, [0, 1]);
  const search = index.search({ description: '' }, index.select(ids), { ...SETTINGS, semanticRatio: 1 }, [0, 1]);
  while (!search.isDone) search.step(100);
  expect(search.listHits()[0]?.position).toBe(599);
});

test('the embedded text of a tool has its name and description', () =>
  expect(toEmbeddedText(tool('send', 'Sends a mail.', { title: 'x' }))).toBe('name: send description: Sends a mail.'));

const vector = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: 5, maxLength: 5 })
  .filter(each => each.some(number => number !== 0));

const word = fc.constantFrom('issue', 'mail', 'note', 'city');
const described = fc.record({
  description: fc.array(word, { maxLength: 4 }).map(all => all.join(' ')),
  vector,
});

test('a search with a ratio of 0 gives exactly the results of a search without embeddings', () => {
  fc.assert(
    fc.property(fc.array(described, { minLength: 1, maxLength: 12 }), fc.array(word), vector, (all, query, near) => {
      const tools = all.map(({ description }, at) => tool(`t${at}`, description));
      const vectors = all.map(one => one.vector);
      const words = query.join(' ');
      expect(namesFound(tools, words, { semanticRatio: 0 }, { of: vectors, query: near })).toEqual(
        namesFound(tools, words),
      );
    }),
  );
});

test('a search only by meaning ranks tools like the plain cosine', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 20 }), vector, (vectors, query) => {
      const tools = vectors.map((_, at) => tool(`t${at}`));
      const cosine = (each: readonly number[]) =>
        each.reduce((sum, number, at) => sum + number * (query[at] as number), 0) /
        Math.hypot(...each) /
        Math.hypot(...query);
      const names = namesFound(tools, '', { semanticRatio: 1, maxTools: 50 }, { of: vectors, query });
      const similarities = names.map(name => cosine(vectors[Number(name.slice(1))] as number[]));
      expect(names).toHaveLength(vectors.length);
      for (const [at, similarity] of similarities.entries()) {
        expect(similarity).toBeLessThanOrEqual((similarities[at - 1] ?? 2) + 1e-5);
      }
    }),
  );
});
