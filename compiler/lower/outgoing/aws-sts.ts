import type { AwsRoleMappingPlan, AwsRoleMappingStrategy, AwsStsPlan, AwsStsStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { chooseSubject } from './subject.ts';

/** Defaults for `config.outgoingAuth`, whose schema has none; equal to those of MCPExternalAuthConfig. */
const DEFAULTS = { service: 'aws-mcp', roleClaim: 'groups', sessionNameClaim: 'sub', sessionDurationSeconds: 3600 };

/** Lowers a block of `config.outgoingAuth` or of an MCPExternalAuthConfig: both have the same fields. */
export function lowerAwsSts(block: Tracked<AwsStsStrategy>, upstreams: readonly string[]): AwsStsPlan {
  const region = block.get('region');
  return {
    type: 'aws_sts',
    region,
    service: block.get('service') || DEFAULTS.service,
    mappings: lowerMappings(block.get('roleMappings') ?? []),
    fallbackRoleArn: block.get('fallbackRoleArn') || null,
    roleClaim: block.get('roleClaim') || DEFAULTS.roleClaim,
    sessionDurationSeconds: block.get('sessionDuration') ?? DEFAULTS.sessionDurationSeconds,
    sessionNameClaim: block.get('sessionNameClaim') || DEFAULTS.sessionNameClaim,
    subject: chooseSubject(block.get('subjectProviderName'), upstreams),
    stsUrl: formatRegionalUrl(region),
  };
}

/** Sorted by number, lowest first, mappings without a number last; equal numbers keep their order. */
function lowerMappings(mappings: readonly AwsRoleMappingStrategy[]): readonly AwsRoleMappingPlan[] {
  const readPriority = ({ priority = Number.POSITIVE_INFINITY }: AwsRoleMappingStrategy) => priority;
  return mappings
    .toSorted((a, b) => (readPriority(a) === readPriority(b) ? 0 : readPriority(a) - readPriority(b)))
    .map(({ roleArn, claim = '', matcher = '' }) =>
      matcher === '' ? { type: 'value', value: claim, roleArn } : { type: 'cel', expression: matcher, roleArn },
    );
}

/** Regions in the China partition have another domain. */
function formatRegionalUrl(region: string): string {
  return `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
}
