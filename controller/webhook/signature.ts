/** Whether the sender of a delivery knows the secret: HMAC SHA-256 over the raw bytes. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Tolerated clock difference of a sender, in milliseconds, for signed times. */
const MAX_SKEW_MS: number = 5 * 60 * 1000;

/** The authentication of a request; `none` without an accepted signature (SHA-1 is not accepted). */
export type Proof =
  | { readonly type: 'hmac'; readonly signature: string }
  /** The id, the time and the body are signed. */
  | {
      readonly type: 'standard';
      readonly id: string;
      readonly timestamp: string;
      readonly signatures: readonly string[];
    }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'none' };

/**
 * Hex digests with or without the name of the algorithm. Gitea and Forgejo send several equal ones.
 *
 * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 * @see https://docs.gitea.com/usage/webhooks
 */
const HMAC_HEADERS = [
  { name: 'x-hub-signature-256', form: /^sha256=([0-9a-f]{64})$/i },
  { name: 'x-forgejo-signature', form: /^([0-9a-f]{64})$/i },
  { name: 'x-gitea-signature', form: /^([0-9a-f]{64})$/i },
  { name: 'x-signature', form: /^sha256=([0-9a-f]{64})$/i },
] as const;

/**
 * How a request proves that it is authentic. The first of the known headers that is present counts, signatures before tokens: if its value is wrong,
 * no other header is tried.
 */
export function readProof(headers: IncomingHttpHeaders): Proof {
  for (const { name, form } of HMAC_HEADERS) {
    const text = headers[name];
    if (text === undefined) continue;
    const [, signature] = (typeof text === 'string' && form.exec(text)) || [];
    return signature === undefined ? { type: 'none' } : { type: 'hmac', signature: signature.toLowerCase() };
  }
  const signed = headers['webhook-signature'];
  if (signed !== undefined) return createStandardProof(String(signed), headers);
  const token = headers['x-gitlab-token'];
  return typeof token === 'string' && token !== '' ? { type: 'token', token } : { type: 'none' };
}

/** @see https://www.standardwebhooks.com, as GitLab signs */
function createStandardProof(text: string, headers: IncomingHttpHeaders): Proof {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  const signatures = text.split(' ').flatMap(value => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(value)?.[1] ?? []);
  if (
    typeof id !== 'string' ||
    typeof timestamp !== 'string' ||
    !/^\d{1,12}$/.test(timestamp) ||
    signatures.length === 0
  )
    return { type: 'none' };
  return { type: 'standard', id, timestamp, signatures };
}

/** A secret in place of a missing one, so that the check does the same work. */
const NOBODYS_SECRET: string = randomBytes(32).toString('hex');

/**
 * Whether the sender of a delivery knows the secret.
 * @param secret undefined for a missing secret: the result is then false, after the same work
 * @param date time of day, in milliseconds since 1970
 */
export function isProven(proof: Proof, body: Buffer, secret: string | undefined, date: number): boolean {
  const hasSecret = secret !== undefined && secret !== '';
  const isRight = matches(proof, body, hasSecret ? secret : NOBODYS_SECRET, date);
  return isRight && hasSecret;
}

function matches(proof: Proof, body: Buffer, secret: string, date: number): boolean {
  switch (proof.type) {
    case 'hmac':
      return isEqual(computeHmac(secret, body), Buffer.from(proof.signature, 'hex'));
    case 'standard': {
      const { id, timestamp, signatures } = proof;
      const expected = computeHmac(readStandardKey(secret), Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]));
      const isFresh = Math.abs(date - Number(timestamp) * 1000) <= MAX_SKEW_MS;
      const found = signatures.filter(signature => isEqual(expected, Buffer.from(signature, 'base64')));
      return found.length > 0 && isFresh;
    }
    case 'token':
      // Both values are hashed with an HMAC, so that they always have the same length.
      computeHmac(secret, body);
      return isEqual(computeHmac(NOBODYS_SECRET, secret), computeHmac(NOBODYS_SECRET, proof.token));
    case 'none':
      computeHmac(secret, body);
      return false;
  }
}

function computeHmac(key: string | Buffer, data: string | Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/** `whsec_` and the key in Base64; other secrets are used unchanged. */
function readStandardKey(secret: string): string | Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
