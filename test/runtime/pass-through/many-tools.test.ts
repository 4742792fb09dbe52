/** Lists of more than one page, read by the clients of both official SDKs. */
import { Client as StatelessClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { BUILT_IN_TOOLS, type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

const COUNT = 2_500 - BUILT_IN_TOOLS.length;

let server: SdkServer;
let gateway: TestGateway;

beforeAll(async () => {
  const tools = Array.from({ length: COUNT }, (_, n) => ({
    name: `tool_${n}`,
    icons: [{ src: `https://x/${n}.png` }],
  }));
  server = await startSdkServer({ transport: 'streamable-http', tools });
  gateway = await startGateway({ backends: [backendPlan('many', server.url)] });
});

afterAll(async () => {
  await gateway.stop();
  await server.close();
});

type Page = { readonly tools: readonly { readonly name: string }[]; readonly nextCursor?: string | undefined };

async function pagesOf(list: (cursor: string | undefined) => Promise<Page>): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    pages.push(page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

function check(pages: readonly string[][]): void {
  expect(pages.map(page => page.length)).toEqual([1_000, 1_000, 500]);
  expect(new Set(pages.flat()).size).toBe(2_500);
}

test('a client in a session reads many tools in three pages', async () => {
  const client = await gateway.connect();
  check(await pagesOf(cursor => client.listTools({ cursor })));
});

test('a stateless client reads many tools in three pages', async () => {
  const client = new StatelessClient({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  check(
    await pagesOf(
      async cursor => (await client.request({ method: 'tools/list', params: { cursor } })) as unknown as Page,
    ),
  );
  await client.close();
});
