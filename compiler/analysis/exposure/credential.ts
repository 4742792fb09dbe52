/** Describes a credential for reports: what is sent, on whose behalf, and where its secrets are stored; never a value. */
import type { AwsStsPlan, OutgoingAuthPlan, SecretSource, SubjectPlan } from '#schemas';
import { findMountedSecret } from '../../resolve/mounted-secret.ts';
import { listCredentialSecrets } from '../../resolve/requirements.ts';
import { isSecretHeader } from '../../source/secret-name.ts';
import type { Credential, ForwardedHeader, ObjectName, SecretUse } from './exposure.ts';
import { redactUrl } from './redact-url.ts';

type Details = {
  readonly [M in Exclude<keyof Credential, 'strategy' | 'from' | 'secrets'>]?: Credential[M] | undefined;
};

/** @param from the object that chooses the credential; null when no object does */
export function describeCredential(auth: OutgoingAuthPlan, from: ObjectName | null): Credential {
  const { identity = 'caller', ...details } = readDetails(auth);
  const known = Object.entries(details).filter(([, value]) => value !== undefined && value.length > 0);
  return {
    strategy: auth.type === 'unauthenticated' ? 'none' : auth.type,
    identity,
    from,
    ...Object.fromEntries(known),
    secrets: listCredentialSecrets(auth).map(([use, source]) => ({ use, from: locateSecret(source) })),
  };
}

/**
 * Whether another header than the credential's own is a credential as well. If the credential has the same header, the credential is sent.
 */
export function carriesCredential({ name, from }: ForwardedHeader, { header = '' }: Credential): boolean {
  if (name.toLowerCase() === header.toLowerCase()) return false;
  return from === 'secret' || isSecretHeader(name);
}

/**
 * Describes headers and the URL as the credential of a backend for which the gateway has no other credential.
 *
 * @param urlSecret the parameter of the URL that is a secret
 * @param holders the headers with a credential: constant ones, and those forwarded from the caller
 */
export function withHeaders(
  credential: Credential,
  headers: readonly ForwardedHeader[],
  urlSecret: string | undefined,
  holders: { readonly fixed: ObjectName; readonly passed: ObjectName },
): Credential {
  const found = headers.filter(header => carriesCredential(header, credential));
  if (credential.strategy !== 'none' || (found.length === 0 && urlSecret === undefined)) return credential;
  const isFixed = urlSecret !== undefined || found.some(({ from }) => from !== 'caller');
  return {
    strategy: 'headers',
    identity: isFixed ? 'gateway' : 'caller',
    from: isFixed ? holders.fixed : holders.passed,
    secrets: found.flatMap(({ secret }) => (secret === undefined ? [] : [{ use: 'header value', from: secret }])),
  };
}

function readDetails(auth: OutgoingAuthPlan): Details {
  switch (auth.type) {
    case 'unauthenticated':
      return { identity: 'nobody' };
    case 'header_injection':
      return { identity: 'gateway', header: auth.header };
    case 'upstream_inject':
      return { provider: auth.provider };
    case 'token_exchange':
    case 'obo':
      return {
        provider: findUpstream(auth.subject),
        tokenUrl: redactUrl(auth.tokenUrl),
        audience: auth.audience ?? undefined,
        scopes: auth.scopes,
      };
    case 'aws_sts':
      return { provider: findUpstream(auth.subject), region: auth.region, roles: listRoles(auth) };
    case 'xaa':
      return {
        provider: auth.provider,
        tokenUrl: redactUrl(auth.target.tokenUrl),
        audience: auth.target.audience,
        scopes: auth.scopes,
      };
  }
}

function findUpstream(subject: SubjectPlan): string | undefined {
  return subject.type === 'upstream' ? subject.provider : undefined;
}

/** Distinct roles in the order of their mappings; the fallback role comes last. */
function listRoles({ mappings, fallbackRoleArn }: AwsStsPlan): readonly string[] {
  return [...new Set([...mappings.map(({ roleArn }) => roleArn), ...(fallbackRoleArn ? [fallbackRoleArn] : [])])];
}

export function locateSecret(source: SecretSource): SecretUse['from'] {
  const secret = findMountedSecret(source);
  return secret === null ? { type: 'env', name: source.env ?? '' } : { type: 'secret', ...secret };
}
