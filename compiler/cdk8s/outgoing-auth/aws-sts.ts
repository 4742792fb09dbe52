import type { NamingProps } from '../resource.ts';

/** An AWS region, such as `eu-central-1` or `us-gov-west-1`. */
export type AwsRegion = `${string}-${string}-${number}` | `${string}-${string}-${string}-${number}`;

/** The ARN of a role, such as `arn:aws:iam::123456789012:role/reader`. */
export type RoleArn = `arn:${'aws' | 'aws-cn' | 'aws-us-gov'}:iam::${string}:role/${string}`;

interface RoleMappingTarget {
  /** Role to assume. */
  readonly role: RoleArn;
  /** Order of the mappings: lower numbers are tried first, mappings without a number last. Mappings with equal numbers are tried in the order of the list. */
  readonly priority?: number;
}

/** Which callers get a role: those with a value in the role claim, or those that match a CEL expression. */
export type AwsRoleMapping =
  | (RoleMappingTarget & { readonly claim: string; readonly matcher?: never })
  | (RoleMappingTarget & { readonly matcher: string; readonly claim?: never });

/** Requires role mappings or a fallback role. */
export type AwsRoles =
  | { readonly fallbackRole: RoleArn; readonly roles?: readonly AwsRoleMapping[] }
  | { readonly fallbackRole?: RoleArn; readonly roles: readonly [AwsRoleMapping, ...AwsRoleMapping[]] };

/** Assumes an AWS role with the identity of the caller and signs requests with its credentials. */
export type AwsStsProps = NamingProps &
  AwsRoles & {
    /** Region of the token service and of the signature, such as `eu-central-1`. */
    readonly region: AwsRegion;
    /** Service name in the signature. Default: `aws-mcp`. */
    readonly service?: string;
    /** Claim whose values the role mappings match. Default: `groups`. */
    readonly roleClaim?: string;
    /** Lifetime of the credentials in seconds, from 900 to 43200. Default: 3600. */
    readonly sessionDuration?: number;
    /** Claim that names the session in AWS logs. Default: `sub`. */
    readonly sessionNameClaim?: string;
    /**
     * Upstream of the gateway's authorization server whose token is the web identity. Default: the first upstream, or without one the caller's
     * token.
     */
    readonly subjectProvider?: string;
  };

export function awsStsBlock(props: AwsStsProps): object {
  const { region, service, roleClaim, sessionDuration, sessionNameClaim, subjectProvider, fallbackRole, roles } = props;
  return {
    region,
    service,
    fallbackRoleArn: fallbackRole,
    roleMappings: roles?.map(({ role, claim, matcher, priority }) => ({ claim, matcher, roleArn: role, priority })),
    roleClaim,
    sessionDuration,
    sessionNameClaim,
    subjectProviderName: subjectProvider,
  };
}
