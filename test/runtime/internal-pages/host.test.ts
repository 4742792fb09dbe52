/** On a loopback address, the internal pages are only for this machine: a page with a rebound host name gets nothing. */
import { get } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import { createInternalRoutes as ofGateway } from '../../../runtime/http/internal-routes.ts';
import { startListener } from '../../../runtime/http/listener.ts';
import { createInternalRoutes as ofRegistry } from '../../../runtime/registry/internal-routes.ts';

const PAGES = {
  ready: () => true,
  version: () => ({}),
  status: () => ({ secret: 'topology' }),
  metrics: () => [{ name: 'topology', type: 'gauge', help: 'Secret.', samples: [] } as const],
};

const SERVERS = [
  ['a gateway', ofGateway(PAGES), ['/version', '/status', '/metrics'], ['/health', '/readyz']],
  ['a registry server', ofRegistry(PAGES), ['/version', '/status', '/metrics'], ['/health', '/readiness']],
] as const;

describe.each(SERVERS)('%s', (_, routes, guarded, probes) => {
  const start = async () => {
    const listener = await startListener({ host: '127.0.0.1', port: 0, routes, log: createLogger('silent') });
    onTestFinished(() => listener.close(0));
    return listener.address.port;
  };

  test.each([
    ['rebound.example', 403],
    ['127.0.0.1.rebound.example:8081', 403],
    ['192.0.2.7:8081', 403],
    ['localhost', 200],
    ['localhost:18081', 200],
    ['127.0.0.1:8081', 200],
    ['[::1]:8081', 200],
  ])('the internal pages answer a request with the Host %s with %i', async (host, status) => {
    const port = await start();
    for (const path of guarded) {
      const answer = await fetchAs(port, path, host);
      expect(answer.status, path).toBe(status);
      if (status === 403) expect(answer.text).not.toContain('secret');
    }
    for (const path of probes) expect((await fetchAs(port, path, host)).status, path).toBe(200);
  });
});

function fetchAs(
  port: number,
  path: string,
  host: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject);
    });
    request.once('error', reject);
  });
}
