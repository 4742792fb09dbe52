import type { Claims } from '../../claims-matcher.ts';
import { CredentialError } from '../credential.ts';

/** The allowed RoleSessionName. Nothing in it can end a parameter, a line or an ARN. */
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;

/**
 * The name of the caller in AWS logs. An invalid claim is refused rather than changed, because a change could give two callers the same name in
 * these logs.
 *
 * @throws CredentialError
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
export function toSessionName(claims: Claims, claim: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string' && SESSION_NAME.test(value)) return value;
  const rule = 'a session name has 2 to 64 letters, digits and _+=,.@-; choose another claim with sessionNameClaim';
  throw new CredentialError('gateway', `aws_sts: the claim ${JSON.stringify(claim)} cannot name the session: ${rule}`);
}
