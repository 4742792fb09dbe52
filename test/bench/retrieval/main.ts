/**
 * `npm run bench:retrieval`: recall of the search of the optimizer on real tools. By default it uses recorded embeddings; with `--embedding-url
 * URL` it records them again from a service such as `embed.py`. `--missed` lists the queries that find no expected tool.
 */
import { parseArgs } from 'node:util';
import { corpusQueries, corpusTexts, recordEmbeddings, recordedEmbeddings } from './corpus.ts';
import { RATIOS, RetrievalBench } from './measure.ts';

const { values } = parseArgs({
  options: { 'embedding-url': { type: 'string' }, missed: { type: 'boolean', default: false } },
});
const url = values['embedding-url'];
if (url !== undefined) await record(url);

const bench = new RetrievalBench(recordedEmbeddings());
process.stdout.write(`${bench.tools} tools\n\n`);
process.stdout.write('| Queries | Search | recall@1 | @5 | @8 | tokens saved |\n|---|---|---|---|---|---|\n');
for (const set of ['open', 'held-out'] as const) {
  const queries = corpusQueries(set);
  for (const [name, ratio] of Object.entries(RATIOS)) {
    const { recall, savedPercent, missed } = bench.measure(queries, ratio);
    const cells = [recall[1], recall[5], recall[8]].map(share => share.toFixed(3));
    process.stdout.write(
      `| ${queries.length} ${set} | ${name} | ${cells.join(' | ')} | ${savedPercent.toFixed(1)} % |\n`,
    );
    if (values.missed && set === 'open') for (const query of missed) process.stdout.write(`  missed: ${query}\n`);
  }
}

async function record(service: string): Promise<void> {
  const { model_id: model, max_client_batch_size: batch = 32 } = (await json(`${service}/info`)) as {
    readonly model_id: string;
    readonly max_client_batch_size?: number;
  };
  // Groups texts of similar length, because a batch takes as long as its longest text.
  const texts = corpusTexts().toSorted((a, b) => a.length - b.length);
  const vectors = new Map<string, readonly number[]>();
  for (let at = 0; at < texts.length; at += batch) {
    const inputs = texts.slice(at, at + batch);
    const found = (await json(`${service}/embed`, { inputs, truncate: true })) as readonly (readonly number[])[];
    for (const [index, text] of inputs.entries()) vectors.set(text, found[index] ?? []);
    process.stderr.write(`embedded ${vectors.size} of ${texts.length}\r`);
  }
  recordEmbeddings(model, vectors);
}

async function json(address: string, body?: object): Promise<unknown> {
  const answer = await fetch(address, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer.json();
}
