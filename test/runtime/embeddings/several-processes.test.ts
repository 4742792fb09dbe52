/** Worker processes request embeddings from the primary process, which answers them however the embedding service behaves. */
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { EmbeddingPlan } from '#schemas';
import { digestText } from '../../../runtime/gateway/optimizer/embeddings/embedded-texts.ts';
import { Embedder } from '../../../runtime/gateway/optimizer/embeddings/embedder.ts';
import { Channel } from '../../../runtime/workers/channel.ts';
import { EmbeddingClient } from '../../../runtime/workers/embedding-client.ts';
import { EmbeddingHost } from '../../../runtime/workers/embedding-host.ts';
import type { PrimaryHandlers } from '../../../runtime/workers/messages.ts';
import { optimizerBy, startEmbeddingService, type TestEmbeddingService } from '../../support/embedding-service.ts';
import { listeningLog } from '../../support/log-lines.ts';

describe('two workers and their primary', () => {
  let service: TestEmbeddingService;
  let plan: EmbeddingPlan;
  beforeAll(async () => {
    service = await startEmbeddingService();
    plan = optimizerBy(service).embeddings as EmbeddingPlan;
    return () => service.close();
  });
  const TEXTS = ['name: one', 'name: two', 'name: three'];

  async function opened(): Promise<{ readonly host: EmbeddingHost; readonly workers: readonly Embedder[] }> {
    service.mood = 'answers';
    service.refuses = () => false;
    const { log } = listeningLog();
    const host = new EmbeddingHost({ log, denial: undefined, stateFolder: undefined });
    (await host.prepare({ optimizer: optimizerBy(service) })).use();
    onTestFinished(() => host.close());
    const workers = [1, 2].map(() => {
      const answers: Pick<PrimaryHandlers, 'embeddingOrigin' | 'embed' | 'embedQuery'> = {
        embeddingOrigin: asking => host.origin(asking),
        embed: call => host.embed(call),
        embedQuery: call => host.embedQuery(call),
      };
      const overJson = (batch: unknown) => JSON.parse(JSON.stringify(batch)) as unknown;
      const worker: Channel<PrimaryHandlers> = new Channel({}, batch => primary.receive(overJson(batch)));
      const primary: Channel<Record<never, never>> = new Channel(answers, batch => worker.receive(overJson(batch)));
      const embedder = new Embedder(plan, new EmbeddingClient(worker, plan), { log, maxBytes: 64 * 1024 * 1024 });
      onTestFinished(() => embedder.close());
      return embedder;
    });
    return { host, workers };
  }

  const want = (workers: readonly Embedder[], texts = TEXTS) => {
    for (const worker of workers) for (const text of texts) worker.want(digestText(text), text);
  };
  const have = (workers: readonly Embedder[], texts = TEXTS) =>
    expect
      .poll(() => workers.map(worker => texts.filter(text => worker.findRow(digestText(text)) !== undefined)))
      .toEqual(workers.map(() => texts));

  test('both workers give up a text that the embedding service refuses, and embed the other texts', async () => {
    const { host, workers } = await opened();
    service.refuses = text => text === 'name: two';
    want(workers);
    await have(workers, ['name: one', 'name: three']);
    await expect
      .poll(() => workers.map(({ status }) => [status.refused, status.waiting]))
      .toEqual([
        [1, 0],
        [1, 0],
      ]);
    expect(host.status).toMatchObject({ refused: 1, waiting: 0, ready: true });
  });

  test('both workers report a failing embedding service, and continue when it is back', async () => {
    const { host, workers } = await opened();
    want(workers, ['name: one']);
    await have(workers, ['name: one']);
    service.mood = 500;
    want(workers);
    await expect
      .poll(() => workers.map(({ status }) => status.problem))
      .toEqual([expect.stringContaining('answered 500'), expect.stringContaining('answered 500')]);
    expect(host.status).toMatchObject({ ready: false, problem: expect.stringContaining('answered 500') });
    expect(await workers[0]?.findVector('something')).toBeUndefined();
    service.mood = 'answers';
    await have(workers);
    await expect.poll(() => workers.map(({ isReady }) => isReady)).toEqual([true, true]);
  });

  test('both workers embed all texts again when the embedding service returns vectors of another length', async () => {
    const { workers } = await opened();
    want(workers);
    await have(workers);
    const former = workers.map(({ table }) => table);
    // A process that searches requests all texts again when the table was replaced.
    for (const worker of workers)
      worker.listener = { embedded: () => {}, replaced: () => want([worker]), keysInUse: () => [] };
    service.dimensions = 20;
    onTestFinished(() => {
      service.dimensions = 64;
    });
    for (const worker of workers) expect(await worker.findVector('something')).toBeUndefined();
    await have(workers);
    expect(workers.map(({ table }) => table?.dimensions)).toEqual([20, 20]);
    expect(workers.map(({ table }, at) => table === former[at])).toEqual([false, false]);
  });

  test('a worker can close while the embedding service hangs, and a new bundle without this service ends the embedder', async () => {
    const { host, workers } = await opened();
    service.mood = 'hangs';
    want(workers);
    await workers[0]?.close();
    const next = await host.prepare({});
    next.use();
    next.closeFormer();
    expect(host.status).toBeUndefined();
    await expect.poll(() => workers[1]?.status.problem).toContain('another bundle is served');
  });
});
