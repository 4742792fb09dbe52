import { AwsV4Signer } from 'aws4fetch';
import { CredentialError, type OutgoingRequest } from '../credential.ts';
import type { AwsCredentials } from './sts-answer.ts';

/** Limit on a body whose digest is signed, in bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** Cache of derived signing keys, which change daily; each set of credentials has its own map. */
  readonly keys: Map<string, ArrayBuffer>;
}

/**
 * The headers that sign a request, names and values alternate: `authorization`, `x-amz-date`, `x-amz-security-token`. Host,
 * path, query and body are signed with them.
 *
 * @throws CredentialError for a body over 10 MiB
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function sign(
  { method, url, body }: OutgoingRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, keys }: SigningScope,
  now: number,
): Promise<readonly string[]> {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw new CredentialError('gateway', `aws_sts: a request of more than ${MAX_BODY_BYTES} bytes is not signed`);
  }
  const datetime = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    body,
    accessKeyId,
    secretAccessKey,
    sessionToken,
    region,
    service,
    datetime,
    cache: keys,
  });
  const { headers } = await signer.sign();
  return [...headers].flat();
}
