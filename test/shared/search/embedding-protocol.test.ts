import { expect, test } from 'vitest';
import { EMBEDDING_PROTOCOLS, formatEmbeddingUrl } from '#shared/search';

const { tei, openai } = EMBEDDING_PROTOCOLS;

test.each([
  ['http://e:8080', 'http://e:8080/embed'],
  ['http://e:8080/', 'http://e:8080/embed'],
  ['https://e/v1/', 'https://e/v1/embed'],
  ['https://e/v1?version=2', 'https://e/v1/embed?version=2'],
])('the URL of an embedding request is formed from the service URL %s', (base, url) =>
  expect(formatEmbeddingUrl(base, '/embed').href).toBe(url),
);

test.each([
  [
    { model_id: 'm', max_client_batch_size: 4 },
    { model: 'm', maxBatch: 4 },
  ],
  [
    { model_id: 'm', model_sha: 'abc' },
    { model: 'm@abc', maxBatch: 32 },
  ],
  [
    { model_id: 'm', model_sha: null, max_client_batch_size: 0 },
    { model: 'm', maxBatch: 32 },
  ],
  [{}, { model: undefined, maxBatch: 32 }],
])('the model and the batch limit of an embedding service are read from its answer %o', (answer, traits) =>
  expect(tei.traits(answer)).toEqual(traits),
);

test('the vectors of an embedding answer get the order of their index members, or else keep their order', () => {
  const data = [
    { index: 1, embedding: [1] },
    { index: 0, embedding: [2] },
  ];
  expect(openai.vectors({ data }, 2)).toEqual([[2], [1]]);
  expect(openai.vectors({ data: [{ embedding: [1] }, { embedding: [2] }] }, 2)).toEqual([[1], [2]]);
});

test.each<[what: string, read: () => unknown, error: string]>([
  ['another number of vectors', () => tei.vectors([[1]], 2), 'a vector for each text'],
  ['a vector without numbers', () => tei.vectors([[]], 1), 'a vector for each text'],
  ['more numbers than any model has', () => tei.vectors([new Array(20_000).fill(1)], 1), 'a vector for each text'],
  ['null in place of a number', () => tei.vectors([[1, null]], 1), 'a vector for each text'],
  ['vectors of two lengths', () => tei.vectors([[1], [1, 2]], 2), 'different lengths'],
  ['a model that is not a string', () => tei.traits({ model_id: 1 }), 'a model_id that is not a string'],
  ['a list in place of an object', () => tei.traits([]), 'something other than an object'],
  ['no data', () => openai.vectors({}, 1), 'without a list of embeddings'],
  [
    'an index that belongs to no text',
    () => openai.vectors({ data: [{ index: 1, embedding: [1] }] }, 1),
    'matches no text',
  ],
  [
    'the same index twice',
    () => openai.vectors({ data: [0, 0].map(index => ({ index, embedding: [1] })) }, 2),
    'or that occurs twice',
  ],
])('the answer of an embedding service with %s is refused', (_, read, error) => expect(read).toThrow(error));
