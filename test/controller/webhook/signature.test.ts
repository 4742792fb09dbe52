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

test("the webhook signature of the example in GitHub's documentation is valid", () => {
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
    ['GitHub in capital letters', { 'x-hub-signature-256': `sha256=${RIGHT.toUpperCase()}` }],
    ['Gitea', { 'x-gitea-signature': RIGHT, 'x-hub-signature-256': `sha256=${RIGHT}`, 'x-hub-signature': 'sha1=00' }],
    ['Gitea without the headers of GitHub', { 'x-gitea-signature': RIGHT }],
    ['Forgejo', { 'x-forgejo-signature': RIGHT }],
    ['any sender', { 'x-signature': `sha256=${RIGHT}` }],
    ['GitLab with a plain token', { 'x-gitlab-token': SECRET }],
    ['GitLab with a signing key', standard(SECRET)],
    ['GitLab with a signing key and a plain token', { ...standard(SECRET), 'x-gitlab-token': SECRET }],
    [
      'GitLab as the second of two signatures',
      { ...standard(SECRET), 'webhook-signature': `v1,${'A'.repeat(43)}= ${standard(SECRET)['webhook-signature']}` },
    ],
  ])('the webhook receiver accepts a signature of %s', (_, headers) => {
    expect(proven(headers as Record<string, string>)).toBe(true);
  });

  test('the webhook receiver decodes the key behind whsec_ from Base64', () => {
    expect(proven(standard(KEY), WHSEC)).toBe(true);
    expect(proven(standard(WHSEC), WHSEC)).toBe(false);
  });
});

describe('what is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['a call without a signature', {}],
    ['a SHA-1 signature', { 'x-hub-signature': `sha1=${hex(SECRET, BODY, 'sha1')}` }],
    ['a SHA-1 signature in the header for SHA-256', { 'x-hub-signature-256': `sha1=${hex(SECRET, BODY, 'sha1')}` }],
    ['a SHA-512 signature', { 'x-signature': `sha512=${hex(SECRET, BODY, 'sha512')}` }],
    ['a signature with another secret', { 'x-hub-signature-256': `sha256=${hex('another')}` }],
    ['a signature of another body', { 'x-hub-signature-256': `sha256=${hex(SECRET, 'another')}` }],
    ['a signature without its algorithm', { 'x-hub-signature-256': RIGHT }],
    ['an empty signature', { 'x-hub-signature-256': 'sha256=' }],
    ['half of a right signature', { 'x-hub-signature-256': `sha256=${RIGHT.slice(0, 32)}` }],
    ['a right signature with more digits', { 'x-hub-signature-256': `sha256=${RIGHT}00` }],
    ['a right signature twice', { 'x-hub-signature-256': `sha256=${RIGHT}, sha256=${RIGHT}` }],
    ['a signature that is not hexadecimal', { 'x-hub-signature-256': `sha256=${'z'.repeat(64)}` }],
    [
      'a wrong signature next to a right token',
      { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-gitlab-token': SECRET },
    ],
    ['a wrong token', { 'x-gitlab-token': `${SECRET}!` }],
    ['an empty token', { 'x-gitlab-token': '' }],
    ['a signature without its time', { ...standard(SECRET), 'webhook-timestamp': '' }],
    ['a signature with another time', { ...standard(SECRET), 'webhook-timestamp': String(DATE / 1000 + 1) }],
    ['a signature with another id', { ...standard(SECRET), 'webhook-id': 'msg_2' }],
    ['a signature of six minutes ago', standard(SECRET, DATE - 360_000)],
    ['a signature of six minutes ahead', standard(SECRET, DATE + 360_000)],
    [
      'a signature of version 2',
      { ...standard(SECRET), 'webhook-signature': standard(SECRET)['webhook-signature'].replace('v1', 'v2') },
    ],
  ])('the webhook receiver refuses %s', (_, headers) => {
    expect(proven(headers)).toBe(false);
  });

  test.each([undefined, ''])(
    'the webhook receiver refuses every call for a source with an empty secret (%j)',
    secret => {
      const empty = hex('');
      for (const headers of [{ 'x-hub-signature-256': `sha256=${empty}` }, { 'x-gitlab-token': '' }, standard('')])
        expect(isProven(readProof(headers), BODY, secret, DATE)).toBe(false);
    },
  );
});

test('the webhook receiver accepts a signature only if it was made with the secret', () => {
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
