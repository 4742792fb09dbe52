import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { classifyAddress } from '#schemas';

test.each(['10.1.2.3', '0x0a010203', '0X7F.1', '127.1', '0177.0.0.1', '::1', 'fe80::1%eth0', '::ffff:10.0.0.1'])(
  'the host %s is recognized as an IP address',
  text => {
    expect(classifyAddress(text)).toBeDefined();
  },
);

test.each(['', 'cafe', 'backend.default.svc', '10.0.0.1.example.com', 'fe80%eth0', '1.2.3.4.5', '10.0.0.1\n'])(
  'the host %j is not recognized as an IP address',
  text => {
    expect(classifyAddress(text)).toBeUndefined();
  },
);

test('exactly the texts that ipaddr.js reads are recognized as IP addresses', () => {
  const piece = fc.oneof(
    fc.integer({ min: 0, max: 300 }).map(String),
    fc.constantFrom(...'.:-%xXafgG0 \n', '::', '0x', 'svc', 'eth0'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), pieces => {
      const text = pieces.join('');
      expect(classifyAddress(text) !== undefined).toBe(ipaddr.isValid(text));
    }),
    { numRuns: 3_000 },
  );
});
