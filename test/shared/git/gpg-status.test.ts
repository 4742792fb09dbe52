/** What gpg reports about a signature: only one good signature by a valid key counts. */
import { describe, expect, test } from 'vitest';
import { readGpgStatus } from '../../../shared/git/verify/gpg-status.ts';

const FINGERPRINT = '0123456789ABCDEF0123456789ABCDEF01234567';
const SUBKEY = 'F'.repeat(40);
const good = `[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 89ABCDEF01234567 Bob <bob@example.com>\n`;
const valid = `[GNUPG:] VALIDSIG ${SUBKEY} 2026-01-01 1767225600 0 4 0 22 8 00 ${FINGERPRINT}\n`;
const trust = '[GNUPG:] TRUST_FULLY 0 always\n';

test('readGpgStatus returns the signer and the primary key of a good signature', () => {
  expect(readGpgStatus(good + valid + trust)).toEqual({ name: 'Bob <bob@example.com>', key: FINGERPRINT });
});

describe('an output without exactly one good signature is refused', () => {
  const none = /exactly one signature/;
  test.each<[what: string, text: string, cause: RegExp]>([
    ['no output', '', none],
    ['a text that is not a status line', 'gpg: Good signature from "Bob"\n', none],
    ['a status in the middle of a line', `x [GNUPG:] GOODSIG 0 x\nx ${valid}`, none],
    ['a good signature twice', good + valid + good + valid, none],
    ['a good and a bad signature', `${good}${valid}[GNUPG:] BADSIG 89ABCDEF01234567 Bob\n`, none],
    ['no key', good + trust, /does not say which key/],
    ['two keys', good + valid + valid, /does not say which key/],
    ['an invalid key', `${good}[GNUPG:] VALIDSIG x\n`, /does not say which key/],
    ['a bad signature', '[GNUPG:] BADSIG 89ABCDEF01234567 Bob\n', /changed after it was signed/],
    [
      'a missing key',
      '[GNUPG:] ERRSIG 89ABCDEF01234567 22 8 00 1767225600 9 -\n[GNUPG:] NO_PUBKEY 89ABCDEF01234567\n',
      /a key that is not trusted/,
    ],
    ['an expired signature', `[GNUPG:] EXPSIG 89ABCDEF01234567 Bob\n${valid}`, /its signature has expired/],
    ['a key that has expired', `[GNUPG:] EXPKEYSIG 89ABCDEF01234567 Bob\n${valid}`, /a key that has expired/],
    ['a key that was revoked', `[GNUPG:] REVKEYSIG 89ABCDEF01234567 Bob\n${valid}`, /a key that was revoked/],
  ])('readGpgStatus refuses an output of gpg without exactly one good signature: %s', (_what, text, cause) =>
    expect(readGpgStatus(text)).toMatch(cause),
  );
});
