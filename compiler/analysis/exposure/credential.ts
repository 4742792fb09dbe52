/** Describes a credential for reports: what is sent, on whose behalf, and where its secrets are stored; never a value. */
import type { AwsStsPlan, OutgoingAuthPlan, SecretSource, SubjectPlan } from '#schemas';
import { findMountedSecret } from '../../resolve/mounted-secret.ts';
import { credentialSecrets } from '../../resolve/requirements.ts';
import type { Credential, ObjectName, SecretUse } from './exposure.ts';
import { redactUrl } from './redact-url.ts';

type Details = {
  readonly [M in Exclude<keyof Credential, 'strategy' | 'from' | 'secrets'>]?: Credential[M] | undefined;
};

/** @param from where it is chosen; null when no credential is */
export function describeCredential(auth: OutgoingAuthPlan, from: ObjectName | null): Credential {
  const { identity = 'caller', ...details } = readDetails(auth);
  const known = Object.entries(details).filter(([, value]) => value !== undefined && value.length > 0);
  return {
    strategy: auth.type === 'unauthenticated' ? 'none' : auth.type,
    identity,
    from,
    ...Object.fromEntries(known),
    secrets: credentialSecrets(auth).map(([use, source]) => ({ use, from: locateSecret(source) })),
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

function locateSecret(source: SecretSource): SecretUse['from'] {
  const secret = findMountedSecret(source);
  return secret === null ? { type: 'env', name: source.env ?? '' } : { type: 'secret', ...secret };
}
