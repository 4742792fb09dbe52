/** `--deny-private-backends`: whatever a bundle says, nothing private is connected to, except the operator's exceptions. */
import { expect, onTestFinished, test } from 'vitest';
import { readOptions } from '#runtime';
import { classifyAddress, findRefusedAddress, findRefusedHost, type PrivateDenial } from '#schemas';
import { createHttpClient } from '../../../runtime/http/client.ts';
import { requestText } from '../../../runtime/http/request-text.ts';
import { startRawServer } from '../../support/raw-server.ts';

const DENIED: PrivateDenial = { except: ['tools.team.svc', '*.shared.svc.cluster.local', '10.9.9.9'] };
const BECAUSE = ', and --deny-private-backends is set; --private-backend makes an exception';

test.each<[host: string, address: string, refusal: string | undefined]>([
  ['example.com', '93.184.215.14', undefined],
  ['example.com', '10.0.0.1', `the address is private${BECAUSE}`],
  ['tools', '10.0.0.1', `the address is private${BECAUSE}`],
  ['tools.other.svc', '10.0.0.1', `the address is private${BECAUSE}`],
  ['localhost', '127.0.0.1', `the address is loopback${BECAUSE}`],
  ['pods', '100.64.0.1', `the address is shared${BECAUSE}`],
  ['tools.team.svc', '10.0.0.1', undefined],
  ['TOOLS.team.svc.', '10.0.0.1', undefined],
  ['a.shared.svc.cluster.local', '10.0.0.1', undefined],
  ['shared.svc.cluster.local', '10.0.0.1', `the address is private${BECAUSE}`],
  ['evilshared.svc.cluster.local', '10.0.0.1', `the address is private${BECAUSE}`],
  ['10.9.9.9', '10.9.9.9', undefined],
  ['tools.team.svc', '169.254.169.254', 'the address is metadata'],
])('--deny-private-backends accepts or refuses the host %s at the address %s', (host, address, refusal) => {
  expect(findRefusedAddress(address, 'any', DENIED, host)).toBe(refusal);
  expect(classifyAddress(address)).toBeDefined();
});

test.each<[host: string, isRefused: boolean]>([
  ['localhost', true],
  ['tools.team.svc.cluster.local', true],
  ['a.shared.svc.cluster.local', false],
  ['tools.other.svc', false], // Only its address shows that it is private.
  ['[::1]', true],
])('--deny-private-backends accepts or refuses the host name %s before its address is known', (host, isRefused) => {
  expect(findRefusedHost(host, 'any', DENIED) !== undefined).toBe(isRefused);
});

test('--deny-private-backends refuses a connection before it is made, and the message names the flag', async () => {
  const server = await startRawServer((_, response) => void response.end('{}'));
  onTestFinished(() => server.close());
  const ask = (denial: PrivateDenial | undefined, url: string) => {
    const client = createHttpClient({ addresses: 'any', denial });
    onTestFinished(() => client.close());
    const request = { method: 'GET', url: new URL(url), headers: {} } as const;
    return requestText(client, request, { maxBytes: 1000, timeoutMs: 10_000 });
  };
  for (const host of ['127.0.0.1', 'localhost']) {
    await expect(ask({ except: [] }, `http://${host}:${server.port}/`)).rejects.toThrow(
      /--deny-private-backends is set/,
    );
  }
  expect(server.connections).toBe(0);
  expect((await ask({ except: ['127.0.0.1'] }, `http://127.0.0.1:${server.port}/`)).status).toBe(200);
  expect((await ask(undefined, `http://127.0.0.1:${server.port}/`)).status).toBe(200);
});

test('--private-backend accepts hosts, and is an error without --deny-private-backends', () => {
  const denialOf = (...args: string[]) => {
    const options = readOptions(['--bundle', 'out', ...args]);
    return typeof options === 'string' ? options : options.denial;
  };
  expect(denialOf()).toBeUndefined();
  expect(denialOf('--deny-private-backends')).toEqual({ except: [] });
  const both = ['--private-backend', '*.team.svc', '--private-backend', 'fd00::1', '--deny-private-backends'];
  expect(denialOf(...both)).toEqual({ except: ['*.team.svc', 'fd00::1'] });
  expect(() => denialOf('--private-backend', 'a')).toThrow('give both');
  expect(() => denialOf('--deny-private-backends', '--private-backend', 'http://a')).toThrow('expected a host');
});
