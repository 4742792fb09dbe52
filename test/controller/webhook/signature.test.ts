import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isProven, readProof } from '../../../controller/webhook/signature.ts';

const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from('Hello, World!');
const DATE = Date.UTC(2026, 10, 22, 12);
const hex = (secret: string | Buffer, body: Buffer | string = BODY, algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(body).digest('hex');
const RIGHT = hex(SECRET);

const proven = (headers: Record<string, string>, secret: string | undefined = SECRET, body = BODY, date = DATE) =>
  isProven(readProof(headers), body, secret, date);

test("the signature of the example in GitHub's documentation is valid", () => {
  expect(RIGHT).toBe('757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17');
});

const KEY = Buffer.alloc(32, 7);
const WHSEC = `whsec_${KEY.toString('base64')}`;
const standard = (key: string | Buffer, at = DATE, id = 'msg_1', body: Buffer = BODY) => {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
};

describe('what is accepted', () => {
  test.each([
    ['GitHub', { 'x-hub-signature-256': `sha256=${RIGHT}` }],
    ['GitHub, in capitals', { 'x-hub-signature-256': `sha256=${RIGHT.toUpperCase()}` }],
    ['Gitea', { 'x-gitea-signature': RIGHT, 'x-hub-signature-256': `sha256=${RIGHT}`, 'x-hub-signature': 'sha1=00' }],
    ['Gitea, without the others', { 'x-gitea-signature': RIGHT }],
    ['Forgejo', { 'x-forgejo-signature': RIGHT }],
    ['any sender', { 'x-signature': `sha256=${RIGHT}` }],
    ['GitLab, by its token', { 'x-gitlab-token': SECRET }],
    ['GitLab, signed', standard(SECRET)],
    ['GitLab, signed, and the token as well', { ...standard(SECRET), 'x-gitlab-token': SECRET }],
    [
      'one of several signatures',
      { ...standard(SECRET), 'webhook-signature': `v1,${'A'.repeat(43)}= ${standard(SECRET)['webhook-signature']}` },
    ],
  ])('%s', (_, headers) => {
    expect(proven(headers as Record<string, string>)).toBe(true);
  });

  test('a key of GitLab is what stands behind whsec_, in Base64', () => {
    expect(proven(standard(KEY), WHSEC)).toBe(true);
    expect(proven(standard(WHSEC), WHSEC)).toBe(false);
  });
});

describe('what is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['SHA-1', { 'x-hub-signature': `sha1=${hex(SECRET, BODY, 'sha1')}` }],
    ['SHA-1 where SHA-256 belongs', { 'x-hub-signature-256': `sha1=${hex(SECRET, BODY, 'sha1')}` }],
    ['SHA-512', { 'x-signature': `sha512=${hex(SECRET, BODY, 'sha512')}` }],
    ['another secret', { 'x-hub-signature-256': `sha256=${hex('another')}` }],
    ['another body', { 'x-hub-signature-256': `sha256=${hex(SECRET, 'another')}` }],
    ['no algorithm', { 'x-hub-signature-256': RIGHT }],
    ['an empty signature', { 'x-hub-signature-256': 'sha256=' }],
    ['half of it', { 'x-hub-signature-256': `sha256=${RIGHT.slice(0, 32)}` }],
    ['more than it', { 'x-hub-signature-256': `sha256=${RIGHT}00` }],
    ['two of them', { 'x-hub-signature-256': `sha256=${RIGHT}, sha256=${RIGHT}` }],
    ['no hex', { 'x-hub-signature-256': `sha256=${'z'.repeat(64)}` }],
    [
      'a wrong one next to a right token',
      { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-gitlab-token': SECRET },
    ],
    ['another token', { 'x-gitlab-token': `${SECRET}!` }],
    ['an empty token', { 'x-gitlab-token': '' }],
    ['a signature without its time', { ...standard(SECRET), 'webhook-timestamp': '' }],
    ['a signature with another time', { ...standard(SECRET), 'webhook-timestamp': String(DATE / 1000 + 1) }],
    ['a signature with another id', { ...standard(SECRET), 'webhook-id': 'msg_2' }],
    ['one of six minutes ago', standard(SECRET, DATE - 360_000)],
    ['one of six minutes ahead', standard(SECRET, DATE + 360_000)],
    [
      'another version',
      { ...standard(SECRET), 'webhook-signature': standard(SECRET)['webhook-signature'].replace('v1', 'v2') },
    ],
  ])('%s', (_, headers) => {
    expect(proven(headers)).toBe(false);
  });

  test.each([undefined, ''])('everything without a secret (%j), also what fits an empty one', secret => {
    const empty = hex('');
    for (const headers of [{ 'x-hub-signature-256': `sha256=${empty}` }, { 'x-gitlab-token': '' }, standard('')])
      expect(isProven(readProof(headers), BODY, secret, DATE)).toBe(false);
  });
});

test('for any request, only the secret gives a valid signature', () => {
  const names = fc.constantFrom(
    'x-hub-signature-256',
    'x-gitea-signature',
    'x-signature',
    'x-gitlab-token',
    'webhook-signature',
    'webhook-id',
    'webhook-timestamp',
  );
  const values = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom(RIGHT.slice(1), `sha256=${RIGHT.slice(1)}0`, 'v1,'),
  );
  fc.assert(
    fc.property(fc.dictionary(names, values), headers => {
      expect(proven(headers)).toBe(false);
    }),
    { numRuns: 1000, seed: 7 },
  );
});
