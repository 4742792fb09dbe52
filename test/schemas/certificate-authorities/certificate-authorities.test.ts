import { expect, test } from 'vitest';
import { validateAuthorities } from '#schemas';
import {
  EXPIRED_AUTHORITY,
  ISSUED_CERTIFICATE,
  ISSUED_KEY,
  TEST_AUTHORITY,
  TEST_CERTIFICATE,
} from '../../support/tls-fixture.ts';

const NOW = new Date('2026-11-01');
const BROKEN = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const CUT = TEST_AUTHORITY.slice(0, -60);
const NONE = 'holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----';
const KEY = 'holds a private key, which must not be where certificates are trusted';
const LEAF = 'holds no certificate of an authority, so it verifies no server: add that of the issuer';

test.each<[string, string, string]>([
  ['nothing', '', 'is empty'],
  ['line breaks alone', '\n\n', 'is empty'],
  ['a byte order mark alone', '\uFEFF', 'is empty'],
  ['another text', 'hello', NONE],
  ['a request for a certificate', BROKEN.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'), NONE],
  ['indented certificates, which TLS does not find', TEST_AUTHORITY.replaceAll(/^/gm, '  '), NONE],
  ['line breaks that are written out', TEST_AUTHORITY.replaceAll('\n', '\\n'), 'holds a certificate that is broken'],
  ['a broken certificate', BROKEN, 'holds a certificate that is broken: encode it again as PEM'],
  ['a certificate that is cut off', CUT, 'holds a certificate that is broken'],
  ['a broken one before a good one', BROKEN + TEST_AUTHORITY, 'holds certificate 1 of 2 that is broken'],
  ['a broken one behind a good one', TEST_AUTHORITY + BROKEN, 'holds certificate 2 of 2 that is broken'],
  ['one that is cut off behind a good one', TEST_AUTHORITY + CUT, 'holds one of 2 certificates that is broken'],
  ['a key', ISSUED_KEY, KEY],
  ['a key behind a good one', TEST_AUTHORITY + ISSUED_KEY, KEY],
  ['an encrypted key', TEST_AUTHORITY + ISSUED_KEY.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'), KEY],
  ['the certificate of a server', ISSUED_CERTIFICATE, LEAF],
])('%s cannot be used', (_, pem, problem) => {
  const judged = validateAuthorities(pem, NOW);
  expect(judged.problem).toContain(problem);
  expect(judged.warnings).toEqual([]);
  // The text may be a key in the wrong place.
  const lines = pem.split('\n').filter(line => line.length > 10 && !line.startsWith('-----'));
  for (const line of lines) expect(judged.problem).not.toContain(line);
});

test.each<[string, string, readonly string[]]>([
  ['an authority', TEST_AUTHORITY, []],
  ['two', TEST_AUTHORITY + TEST_CERTIFICATE, []],
  ['with the line breaks of Windows', TEST_AUTHORITY.replaceAll('\n', '\r\n'), []],
  ['with text around it', `# ours\nsubject=CN\n${TEST_AUTHORITY}\nend`, []],
  ['with a byte order mark', `\uFEFF${TEST_AUTHORITY}`, []],
  ['with the older label', TEST_AUTHORITY.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'), []],
  ['an expired one', EXPIRED_AUTHORITY, ['holds a certificate that has expired on 2021-01-01']],
  [
    'an expired one next to a good one',
    TEST_AUTHORITY + EXPIRED_AUTHORITY,
    ['holds certificate 2 of 2 that has expired on 2021-01-01'],
  ],
  [
    'the certificate of a server next to it',
    ISSUED_CERTIFICATE + TEST_AUTHORITY,
    ['holds certificate 1 of 2 that is none of an authority, and has no effect'],
  ],
])('%s can be used', (_, pem, warnings) => {
  expect(validateAuthorities(pem, NOW)).toEqual({ problem: undefined, warnings });
});

test('the present time decides which certificates have expired', () => {
  expect(validateAuthorities(EXPIRED_AUTHORITY, new Date('2020-12-31')).warnings).toEqual([]);
});
