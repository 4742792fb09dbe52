/** A gateway without shared sessions and without a collector does not load the modules for them: it starts although they were removed. */
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { formatCanonicalJson } from '#schemas';
import { gatewayBundle } from '../../support/gateway.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { redisPlan } from '../../support/redis-server.ts';
import { telemetryPlan } from '../otlp/plans.ts';

const OPTIONS = ['--host', '127.0.0.1', '--port', '0', '--internal-address', '127.0.0.1:0'];
const COLLECTED = telemetryPlan({ endpoint: 'http://127.0.0.1:9' });
const SHARED = { redis: redisPlan({ addresses: ['127.0.0.1:1'] }), keyPrefix: '' };

test.each([
  ['sessions in memory', 'the Redis client package', 'shared sessions', { sessionStorage: SHARED }, 'redis-client.cjs'],
  ['no collector', 'the OpenTelemetry SDK', 'a collector', { telemetry: COLLECTED }, 'otlp-client.cjs'],
])(
  'a gateway with %s starts without %s, and a gateway with %s does not',
  async (_without, _package, _with, more, client) => {
    await using folder = await temporaryFolder({
      'package.json': '{ "type": "module" }',
      'without.json': formatCanonicalJson(gatewayBundle({ backends: [] })),
      'with.json': formatCanonicalJson(gatewayBundle({ backends: [], ...more })),
    });
    const script = folder.file('lintel-runtime.js');
    await copyFile(PROGRAM.runtime, script);
    {
      await using alone = start(script, ['--bundle', folder.file('without.json'), ...OPTIONS]);
      expect(await alone.announcement()).toMatchObject({ event: 'listening' });
    }
    {
      await using broken = start(script, ['--bundle', folder.file('with.json'), ...OPTIONS]);
      expect(await broken.exitCode()).not.toBe(0);
      expect(broken.stderr.text).toContain(client);
    }
    await copyFile(join(dirname(PROGRAM.runtime), client), folder.file(client));
    await using whole = start(script, ['--bundle', folder.file('with.json'), ...OPTIONS]);
    expect(await whole.announcement()).toMatchObject({ event: 'listening' });
  },
);
