import type { HttpClient } from '../../../http/client.ts';
import { CredentialError } from '../credential.ts';
import { postForm } from '../token-endpoint.ts';
import { type AwsCredentials, readCredentials, readErrorCode } from './sts-answer.ts';

export interface RoleRequest {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly durationSeconds: number;
  /** The token that identifies the caller. */
  readonly webIdentityToken: string;
}

/** The web identity expired or was revoked: another sign-in helps. */
const LOGIN_HELPS: ReadonlySet<string> = new Set(['ExpiredTokenException', 'IDPRejectedClaim']);

/**
 * Temporary credentials for a role; the gateway needs no AWS credentials.
 *
 * @throws CredentialError; the message only contains the response's error code
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
export async function assumeRole(client: HttpClient, url: URL, request: RoleRequest): Promise<AwsCredentials> {
  const at = `aws_sts at ${url.host}`;
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: request.roleArn,
    RoleSessionName: request.sessionName,
    DurationSeconds: String(request.durationSeconds),
    WebIdentityToken: request.webIdentityToken,
  });
  const { status, body } = await postForm(client, at, url, form, { Accept: 'text/xml' });
  if (status !== 200) throw createRefusal(at, request.roleArn, status, readErrorCode(body));
  const credentials = readCredentials(body);
  if (credentials === undefined) throw new CredentialError('gateway', `${at}: the answer has no usable credentials`);
  return credentials;
}

function createRefusal(at: string, roleArn: string, status: number, code: string | undefined): CredentialError {
  if (code !== undefined && LOGIN_HELPS.has(code)) {
    return new CredentialError('caller', `${at}: the token of the caller was refused (${code}); log in again`);
  }
  return new CredentialError('gateway', `${at}: the role ${roleArn} was refused (${code ?? `HTTP ${status}`})`);
}
