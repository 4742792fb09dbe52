/**
 * Embeds texts with the HTTP API of text-embeddings-inference, but without a model: it has groups of words with the same meaning
 * (`meanings.json`), and counts in each vector how often each meaning occurs in the text.
 *
 *     node embeddings.mjs [--port 4536]
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4536' } } });
const DIMENSIONS = 1024;
const MAX_BATCH = 32;

/** @type {string[]} */
const groups = JSON.parse(readFileSync(new URL('meanings.json', import.meta.url), 'utf8'));
/** Each word of a group, with the first word of the group, which stands for their common meaning. */
const meanings = new Map(
  groups.flatMap(group => {
    const words = group.split(' ');
    return words.map(word => [word, words[0]]);
  }),
);
const SAYS_NOTHING = new Set(
  'a an and at by for from have her his i in is it its name description not of on or our them the this to today us we who with'.split(
    ' ',
  ),
);

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const [status, answer] = answerTo(request.url, body);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(Number(values.port), '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
process.on('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});

/** @param {string | undefined} path @param {string} body @returns {[status: number, answer: unknown]} */
function answerTo(path, body) {
  if (path === '/info') return [200, { model_id: 'meanings', max_client_batch_size: MAX_BATCH }];
  if (path !== '/embed') return [404, { error: 'the paths are /info and /embed' }];
  const { inputs } = JSON.parse(body);
  return inputs.length > MAX_BATCH ? [413, { error: `at most ${MAX_BATCH} texts` }] : [200, inputs.map(vectorOf)];
}

/** @param {string} text */
function vectorOf(text) {
  const vector = new Array(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    if (!SAYS_NOTHING.has(word)) vector[placeOf(meanings.get(word) ?? word)]++;
  }
  // A text that consists of SAYS_NOTHING words only still needs a direction, because the gateway compares vectors by their angle.
  return vector.some(number => number > 0) ? vector : vector.fill(1);
}

/** @param {string} word */
function placeOf(word) {
  let hash = 0;
  for (const letter of word) hash = (hash * 257 + letter.charCodeAt(0)) % 1_000_003;
  return hash % DIMENSIONS;
}
