/** A gateway without shared sessions does not load the modules for Redis: it starts although they were removed. */
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { formatCanonicalJson } from '#schemas';
import { gatewayBundle } from '../../support/gateway.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { redisPlan } from '../../support/redis-server.ts';

const OPTIONS = ['--host', '127.0.0.1', '--port', '0', '--internal-address', '127.0.0.1:0'];
const SHARED = { redis: redisPlan({ addresses: ['127.0.0.1:1'] }), keyPrefix: '' };

test('a gateway with sessions in memory starts without the Redis client package, and a gateway with shared sessions does not', async () => {
  await using folder = await temporaryFolder({
    'package.json': '{ "type": "module" }',
    'memory.json': formatCanonicalJson(gatewayBundle({ backends: [] })),
    'redis.json': formatCanonicalJson(gatewayBundle({ backends: [], sessionStorage: SHARED })),
  });
  const script = folder.file('lintel-runtime.js');
  await copyFile(PROGRAM.runtime, script);
  {
    await using alone = start(script, ['--bundle', folder.file('memory.json'), ...OPTIONS]);
    expect(await alone.announcement()).toMatchObject({ event: 'listening' });
  }
  {
    await using broken = start(script, ['--bundle', folder.file('redis.json'), ...OPTIONS]);
    expect(await broken.exitCode()).not.toBe(0);
    expect(broken.stderr.text).toContain('redis-client.cjs');
  }
  await copyFile(join(dirname(PROGRAM.runtime), 'redis-client.cjs'), folder.file('redis-client.cjs'));
  await using sharing = start(script, ['--bundle', folder.file('redis.json'), ...OPTIONS]);
  expect(await sharing.announcement()).toMatchObject({ event: 'listening' });
});
