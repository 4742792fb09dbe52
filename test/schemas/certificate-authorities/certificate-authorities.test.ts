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
  ['an empty text', '', 'is empty'],
  ['only line breaks', '\n\n', 'is empty'],
  ['only a byte order mark', '\uFEFF', 'is empty'],
  ['another text', 'hello', NONE],
  ['a request for a certificate', BROKEN.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'), NONE],
  ['an indented certificate, which TLS does not find', TEST_AUTHORITY.replaceAll(/^/gm, '  '), NONE],
  [
    'a certificate with line breaks as \\n',
    TEST_AUTHORITY.replaceAll('\n', '\\n'),
    'holds a certificate that is broken',
  ],
  ['a broken certificate', BROKEN, 'holds a certificate that is broken: encode it again as PEM'],
  ['a truncated certificate', CUT, 'holds a certificate that is broken'],
  [
    'a broken certificate before a good certificate',
    BROKEN + TEST_AUTHORITY,
    'holds certificate 1 of 2 that is broken',
  ],
  ['a broken certificate after a good certificate', TEST_AUTHORITY + BROKEN, 'holds certificate 2 of 2 that is broken'],
  [
    'a truncated certificate after a good certificate',
    TEST_AUTHORITY + CUT,
    'holds one of 2 certificates that is broken',
  ],
  ['a private key', ISSUED_KEY, KEY],
  ['a private key after a good certificate', TEST_AUTHORITY + ISSUED_KEY, KEY],
  ['an encrypted key', TEST_AUTHORITY + ISSUED_KEY.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'), KEY],
  ['the certificate of a server', ISSUED_CERTIFICATE, LEAF],
])('a file of CA certificates is refused: %s', (_, pem, problem) => {
  const judged = validateAuthorities(pem, NOW);
  expect(judged.problem).toContain(problem);
  expect(judged.warnings).toEqual([]);
  // The text may be a key in the wrong place.
  const lines = pem.split('\n').filter(line => line.length > 10 && !line.startsWith('-----'));
  for (const line of lines) expect(judged.problem).not.toContain(line);
});

test.each<[string, string, readonly string[]]>([
  ['a CA certificate', TEST_AUTHORITY, []],
  ['two CA certificates', TEST_AUTHORITY + TEST_CERTIFICATE, []],
  ['a CA certificate with Windows line breaks', TEST_AUTHORITY.replaceAll('\n', '\r\n'), []],
  ['a CA certificate with text around it', `# ours\nsubject=CN\n${TEST_AUTHORITY}\nend`, []],
  ['a CA certificate with a byte order mark', `\uFEFF${TEST_AUTHORITY}`, []],
  ['a CA certificate with the older PEM label', TEST_AUTHORITY.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'), []],
  [
    'an expired CA certificate with a warning',
    EXPIRED_AUTHORITY,
    ['holds a certificate that has expired on 2021-01-01'],
  ],
  [
    'an expired CA certificate next to a good certificate with a warning',
    TEST_AUTHORITY + EXPIRED_AUTHORITY,
    ['holds certificate 2 of 2 that has expired on 2021-01-01'],
  ],
  [
    'a server certificate next to a CA certificate with a warning',
    ISSUED_CERTIFICATE + TEST_AUTHORITY,
    ['holds certificate 1 of 2 that is none of an authority, and has no effect'],
  ],
])('a file of CA certificates is accepted: %s', (_, pem, warnings) => {
  expect(validateAuthorities(pem, NOW)).toEqual({ problem: undefined, warnings });
});

test('a CA certificate that expires after the given time causes no warning', () => {
  expect(validateAuthorities(EXPIRED_AUTHORITY, new Date('2020-12-31')).warnings).toEqual([]);
});
