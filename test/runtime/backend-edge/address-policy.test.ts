import { describe, expect, test } from 'vitest';
import { findRefusedAddress, findRefusedHost } from '#schemas';
import { createGuardedLookup } from '../../../runtime/http/client.ts';

type Verdicts = readonly [subject: string, isPrivateAllowed: boolean, isPublicAllowed: boolean];

const ADDRESSES: readonly Verdicts[] = [
  ['8.8.8.8', true, true],
  ['172.15.255.255', true, true],
  ['172.32.0.0', true, true],
  ['2606:4700::1111', true, true],
  ['10.0.0.1', true, false],
  ['172.16.0.1', true, false],
  ['172.31.255.255', true, false],
  ['192.168.1.1', true, false],
  ['fc00::1', true, false],
  ['fd12:3456::1', true, false],
  ['::ffff:10.0.0.1', true, false],
  ['::ffff:8.8.8.8', true, true],
  ['0.0.0.0', false, false],
  ['0.1.2.3', false, false],
  ['127.0.0.1', false, false],
  ['127.255.255.254', false, false],
  ['::1', false, false],
  ['::', false, false],
  ['::ffff:127.0.0.1', false, false],
  ['::ffff:7f00:1', false, false],
  ['::7f00:1', false, false],
  ['169.254.169.254', false, false],
  ['::ffff:169.254.169.254', false, false],
  ['fe80::1', false, false],
  ['fe80::1%eth0', false, false],
  ['fec0::1', false, false],
  ['168.63.129.16', false, false],
  ['::ffff:168.63.129.16', false, false],
  ['fd00:ec2::254', false, false],
  ['100.64.0.1', false, false],
  ['192.0.0.192', false, false],
  ['198.18.0.1', false, false],
  ['224.0.0.1', false, false],
  ['255.255.255.255', false, false],
  ['64:ff9b::7f00:1', false, false],
  ['64:ff9b:1::a00:1', false, false],
  ['2002:7f00:1::', false, false],
  ['2001::1', false, false],
  ['ff02::1', false, false],
  ['4000::1', false, false],
  ['', false, false],
  ['not an address', false, false],
];

const NAMES: readonly Verdicts[] = [
  ['example.com', true, true],
  ['mylocalhost', true, true],
  ['localhost.example.com', true, true],
  ['tools.svc', true, true],
  ['tools.team.svc.cluster.local', true, false],
  ['localhost', false, false],
  ['LocalHost.', false, false],
  ['a.localhost', false, false],
  ['metadata.google.internal', false, false],
  ['x.Metadata.Google.Internal', false, false],
  ['metadata.google.internal..', false, false],
  ['kubernetes.default', false, false],
  ['kubernetes.default.svc', false, false],
  ['kubernetes.default.svc.cluster.local', false, false],
];

/** Addresses that only the policy `any` allows: this machine, and addresses shared by a provider's customers. */
const OWN = [
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '100.64.0.1',
];

describe('addresses', () => {
  test.each(ADDRESSES)(
    'the IP address %j is allowed by the address policy "private": %s, by "public": %s',
    (address, isPrivateAllowed, isPublicAllowed) => {
      expect(findRefusedAddress(address, 'private') === undefined).toBe(isPrivateAllowed);
      expect(findRefusedAddress(address, 'public') === undefined).toBe(isPublicAllowed);
      expect(findRefusedAddress(address, 'any') === undefined).toBe(
        isPublicAllowed || isPrivateAllowed || OWN.includes(address),
      );
    },
  );
});

describe('names', () => {
  test.each(NAMES)(
    'the host name %j is allowed by the address policy "private": %s, by "public": %s',
    (name, isPrivateAllowed, isPublicAllowed) => {
      expect(findRefusedHost(name, 'private') === undefined).toBe(isPrivateAllowed);
      expect(findRefusedHost(name, 'public') === undefined).toBe(isPublicAllowed);
      expect(findRefusedHost(name, 'any') === undefined).toBe(!/metadata/i.test(name));
    },
  );
});

describe('DNS answers', () => {
  /** The result of a connection to `example.com` when the name service returns `answers`. */
  function lookUp(answers: readonly string[], all: boolean): Promise<unknown> {
    const found = answers.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    const resolver = (_name: string, _options: unknown, callback: (error: null, found: unknown) => void) =>
      callback(null, found);
    const lookup = createGuardedLookup(
      { addresses: 'public' },
      resolver as unknown as Parameters<typeof createGuardedLookup>[1],
    );
    return new Promise((resolve, reject) =>
      lookup('example.com', { all }, (error, address) => (error === null ? resolve(address) : reject(error))),
    );
  }

  test.each([true, false])('a DNS answer is used when all its addresses are allowed (all: %s)', async all => {
    const expected = all ? [{ address: '8.8.8.8', family: 4 }] : '8.8.8.8';
    expect(await lookUp(['8.8.8.8'], all)).toEqual(expected);
  });

  test.each([true, false])('a DNS answer is refused when one of its addresses is not allowed (all: %s)', async all => {
    await expect(lookUp(['8.8.8.8', '10.1.2.3'], all)).rejects.toMatchObject({
      code: 'ERR_HTTP_ADDRESS_REFUSED',
      message: 'connecting to example.com (10.1.2.3) is not allowed: the address is private',
    });
  });

  test('an empty DNS answer is an error', async () => {
    await expect(lookUp([], true)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
