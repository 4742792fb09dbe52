/** Compares the signatures of AWS requests with the published vectors and with an independent implementation. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sign } from '../../../../runtime/auth/outgoing/aws/sign.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { expectedSignature, readAuthorization } from './sigv4.ts';

/** The suite's credentials, region and service. */
const SUITE = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
} as const;
const SUITE_NOW = Date.parse('2015-08-30T12:36:00Z');

const signed = async (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  body = '',
  sessionToken = '',
  now = SUITE_NOW,
): Promise<Record<string, string>> => {
  const credentials = { ...SUITE, sessionToken, expiresAt: 0 };
  const request = { method, url: new URL(url), body };
  const headers = await sign(request, credentials, { ...SUITE, keys: new Map() }, now);
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [])),
  );
};

/** The signatures in AWS's test suite for Signature Version 4 (`aws-sig-v4-test-suite`) for requests that Lintel can send. */
test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['get-vanilla-query', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-unreserved',
    'GET',
    '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ['post-vanilla-query', 'POST', '/?Param1=value1', '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11'],
] as const)('the signature of the AWS test vector %s is correct', async (_, method, path, signature) => {
  const headers = await signed(method, `https://example.amazonaws.com${path}`);
  expect(headers.authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
});

describe('a request of the gateway', () => {
  test('the gateway signs a request with the AWS session token', async () => {
    const headers = await signed('POST', 'https://b.example.com/mcp', '{}', 'session-token');
    expect(Object.keys(headers).sort()).toEqual(['authorization', 'x-amz-date', 'x-amz-security-token']);
    expect(headers['x-amz-security-token']).toBe('session-token');
    expect(readAuthorization(headers.authorization ?? '').signedHeaders).toEqual([
      'host',
      'x-amz-date',
      'x-amz-security-token',
    ]);
  });

  const segment = fc
    .string({ unit: fc.constantFrom(..."abcAZ09-._~!$&'()*+,;=:@% é"), maxLength: 8 })
    .map(encodeURIComponent);
  const pair = fc
    .tuple(
      segment.filter(name => name !== ''),
      segment,
    )
    .map(([name, value]) => `${name}=${value}`);

  test('a server that checks AWS signatures accepts the signature of any request', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'DELETE'),
        fc.array(
          segment.filter(part => !/^(|\.|%2e)*$/i.test(part)),
          { maxLength: 3 },
        ),
        fc.uniqueArray(pair, { maxLength: 3, selector: text => text.split('=')[0] ?? '' }),
        fc.string({ unit: anyCharacter, maxLength: 100 }),
        async (method, segments, pairs, body) => {
          const url = new URL(
            `https://b.example.com:8443/${segments.join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`,
          );
          const headers = await signed(method, url.href, body, 'session-token');
          const request = {
            method,
            path: `${url.pathname}${url.search}`,
            headers: { ...headers, host: url.host },
            body,
          };
          expect(readAuthorization(headers.authorization ?? '').signature).toBe(expectedSignature(request, SUITE));
        },
      ),
      { seed: 4, numRuns: 200 },
    );
  });

  test('the gateway signs no request of more than 10 MiB, counted in bytes', async () => {
    const limit = 10 * 1024 * 1024;
    await expect(signed('POST', 'https://b.example.com/', 'é'.repeat(limit / 2))).resolves.toBeDefined();
    await expect(signed('POST', 'https://b.example.com/', `${'é'.repeat(limit / 2)}x`)).rejects.toThrow(
      'aws_sts: a request of more than 10485760 bytes is not signed',
    );
  });
});
