import type { AwsRoleMappingPlan, AwsRoleMappingStrategy, AwsStsPlan, AwsStsStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { chooseSubject } from './subject.ts';

/** Defaults of `config.outgoingAuth`, whose schema has none; those of MCPExternalAuthConfig are the same. */
const DEFAULTS = { service: 'aws-mcp', roleClaim: 'groups', sessionNameClaim: 'sub', sessionDurationSeconds: 3600 };

/** Both ways to write it have the same fields. */
export function awsSts(block: Tracked<AwsStsStrategy>, upstreams: readonly string[]): AwsStsPlan {
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
    stsUrl: regionalUrl(region),
  };
}

/** Lower numbers first, those without one last; equal ones stay in the order of the spec. */
function lowerMappings(written: readonly AwsRoleMappingStrategy[]): readonly AwsRoleMappingPlan[] {
  const readPriority = ({ priority = Number.POSITIVE_INFINITY }: AwsRoleMappingStrategy) => priority;
  return written
    .toSorted((a, b) => (readPriority(a) === readPriority(b) ? 0 : readPriority(a) - readPriority(b)))
    .map(({ roleArn, claim = '', matcher = '' }) =>
      matcher === '' ? { type: 'value', value: claim, roleArn } : { type: 'cel', expression: matcher, roleArn },
    );
}

/** Regions of the partition of China are under a domain of their own. */
function regionalUrl(region: string): string {
  return `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
}
