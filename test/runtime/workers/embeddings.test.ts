/** Several processes serve a gateway with an optimizer: each text is embedded once for all of them. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, onTestFinished, test } from 'vitest';
import { optimizerBy, startEmbeddingService, type TestEmbeddingService } from '../../support/embedding-service.ts';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startTree, type Tree } from './worker-tree.ts';

const WORKERS = 3;

const TOOLS = [
  { name: 'invoices', description: 'Lists the bills of a customer.' },
  { name: 'weather', description: 'Forecast for a city.' },
  { name: 'mail', description: 'Sends a letter.' },
];

interface Found {
  readonly tools: readonly { readonly name: string }[];
  readonly notice?: string;
}

/** Each worker finds by meaning: requests reach them in turn. */
async function allFindByMeaning(client: Client, tree: Tree): Promise<void> {
  await eventually(async () => {
    const { workers } = await tree.status();
    for (const _ of workers) {
      const { structuredContent } = await client.callTool({
        name: 'find_tool',
        arguments: { tool_description: 'receipts owed' },
      });
      const { tools, notice } = structuredContent as Found;
      if (notice !== undefined || tools[0]?.name !== 's_invoices') return false;
    }
    return workers.length === WORKERS;
  });
}

const asked = ({ texts }: TestEmbeddingService) => texts.filter(text => !text.startsWith('name: ping')).toSorted();

test('each text and each description is embedded once by all workers, also when a worker is replaced or all workers restart', async () => {
  const service = await startEmbeddingService({ synonyms: { bills: 'invoice', receipts: 'invoice', owed: 'invoice' } });
  onTestFinished(() => service.close());
  const backend = await startSdkServer({ transport: 'streamable-http', tools: TOOLS });
  onTestFinished(() => backend.close());
  await using state = await temporaryFolder();
  const options = { backends: [backendPlan('s', backend.url)], optimizer: optimizerBy(service) };
  const env = { XDG_STATE_HOME: state.path };
  {
    await using tree = await startTree(options, WORKERS, env);
    const client = await tree.connect();
    await allFindByMeaning(client, tree);
    const once = asked(service);
    expect(once.filter(text => text.startsWith('name: s_invoices'))).toHaveLength(1);
    expect(once.filter(text => text.includes('receipts'))).toHaveLength(1);
    expect(new Set(once).size, 'none twice').toBe(once.length);
    expect((await tree.status()).optimizer).toMatchObject({
      search: 'hybrid',
      embeddings: { ready: true, model: 'test-model', waiting: 0, problem: null },
    });
    const metrics = await (await fetch(`${tree.internalUrl}/metrics`)).text();
    const [, requests] =
      /embedding_request_duration_seconds_count\{[^}]*purpose="query"[^}]*result="success"[^}]*\} (\d+)/.exec(
        metrics,
      ) ?? [];
    expect(requests, 'the primary has asked').toBe('1');

    await tree.kill(1);
    await eventually(async () => (await tree.status()).replacedWorkers === 1);
    await allFindByMeaning(client, tree);
    expect(asked(service), 'the new worker has them of the primary').toEqual(once);
    await client.close();
  }
  const before = asked(service).length;
  await using tree = await startTree(options, WORKERS, env);
  const client = await tree.connect();
  await allFindByMeaning(client, tree);
  expect(asked(service).length - before, 'the description alone, which is not kept').toBe(1);
  await client.close();
});
