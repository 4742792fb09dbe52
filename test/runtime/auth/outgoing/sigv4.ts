/**
 * Signature Version 4 as a server checks it: recomputed from the received request with only `node:crypto`, and without the code that signs.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The signature that the request should have, for the headers in its own Authorization header. */
export function expectedSignature(request: SignedRequest, key: SigningKey): string {
  const { scope, signedHeaders } = readAuthorization(String(request.headers.authorization));
  const [path = '', query = ''] = request.path.split('?');
  const canonical = [
    request.method,
    path.split('/').map(encode).join('/'),
    query
      .split('&')
      .filter(pair => pair !== '')
      .map(pair => pair.split('=').map(part => encode(decodeURIComponent(part))))
      .sort(([first = ''], [second = '']) => (first < second ? -1 : 1))
      .map(([name = '', value = '']) => `${name}=${value}`)
      .join('&'),
    ...signedHeaders.map(name => `${name}:${String(request.headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n');
  const date = String(request.headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const parts = [date.slice(0, 8), key.region, key.service, 'aws4_request'];
  if (scope !== parts.join('/')) throw new Error(`signed for ${scope}`);
  const signingKey = parts.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${key.secretAccessKey}`);
  return hmac(signingKey, toSign).toString('hex');
}

export interface Authorization {
  readonly accessKeyId: string;
  readonly scope: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

export function readAuthorization(header: string): Authorization {
  const found = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    header,
  );
  if (found === null) throw new Error(`no signature: ${header}`);
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] = found;
  return { accessKeyId, scope, signedHeaders: signedHeaders.split(';'), signature };
}
