/** `lintel-bridge` as a single executable; `lintel.test.ts` tests the larger one, `lintel`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'vitest';
import { VERSION } from '#schemas';
import { hashFile } from '../../../build/release/sums.ts';
import { isRunning, PEER, plan } from '../../bridge/running-bridge.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';
import { run, Serving } from './executable.ts';

withPeers('postject').test(
  'the single executable of the bridge is built with the same bytes each time, and serves a stdio server without PATH',
  async () => {
    const { makeExecutables } = await import('../../../build/executables/make.ts');
    await using folder = await temporaryFolder({
      'empty/bridge.json': JSON.stringify({ servers: { 'default/peer': plan(PEER) } }),
    });
    const [made] = await makeExecutables(folder.path, ['lintel-bridge']);
    const file = made?.file ?? '';
    const [again] = await makeExecutables(folder.file('again'), ['lintel-bridge']);
    expect(await hashFile(again?.file ?? '')).toBe(await hashFile(file));
    // The package is much smaller than Node.
    expect((made?.size ?? 0) - (made?.node ?? 0)).toBeLessThan(2_000_000);
    const empty = folder.file('empty');
    expect(await run(file, ['--version'], empty)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(await run(file, ['--nonsense'], empty)).toMatchObject({ code: 2, stdout: '' });

    let pid: number;
    {
      await using bridge = new Serving(file, ['--config', 'bridge.json', '--port', '0'], empty);
      const { url } = await bridge.announcement<{ url: string }>();
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/default/peer/mcp`)) as never);
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      await client.close();
      pid = bridge.pid;
    }
    await eventually(() => !isRunning(pid));
    expect(existsSync(join(empty, 'dist'))).toBe(false);
  },
);
