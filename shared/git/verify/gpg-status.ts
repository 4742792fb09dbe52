/** gpg's machine-readable status of a signature. See doc/DETAILS of GnuPG. */

export interface GoodSignature {
  /** The name in the key's first user id. */
  readonly name: string;
  /** Fingerprint of the primary key, in capitals. */
  readonly key: string;
}

/** The status line of each kind of result, with messages for all except the first. */
const OUTCOMES: Readonly<Record<string, string>> = {
  GOODSIG: '',
  BADSIG: 'its signature does not match its content; the commit was changed after it was signed',
  ERRSIG: 'it is signed with a key that is not trusted; sign with another key, or add the key',
  EXPSIG: 'its signature has expired; sign again',
  EXPKEYSIG:
    'it is signed with a key that has expired; sign with another key, or renew the key and its copy in the Secret',
  REVKEYSIG: 'it is signed with a key that was revoked; sign with another key',
};

/**
 * The single good signature; otherwise why there is none, with advice behind a semicolon. Anything other than exactly one good signature by a
 * valid key is refused.
 */
export function readGpgStatus(text: string): GoodSignature | string {
  const lines = Array.from(text.matchAll(/^\[GNUPG:\] (\w+) ?(.*)$/gm), ([, keyword = '', rest = '']) => ({
    keyword,
    words: rest.split(' '),
  }));
  const outcomes = lines.filter(({ keyword }) => keyword in OUTCOMES);
  const [outcome] = outcomes;
  if (outcome === undefined || outcomes.length > 1) return 'it does not have exactly one signature; sign it once';
  if (outcome.keyword !== 'GOODSIG') return OUTCOMES[outcome.keyword] ?? '';
  const valid = lines.filter(({ keyword }) => keyword === 'VALIDSIG');
  // The last word is the fingerprint of the primary key, the first word that of the signing key.
  const key = valid[0]?.words.at(-1) ?? '';
  if (valid.length !== 1 || !/^[0-9A-F]{40,64}$/.test(key)) return 'gpg does not say which key its signature is of';
  return { name: outcome.words.slice(1).join(' '), key };
}
