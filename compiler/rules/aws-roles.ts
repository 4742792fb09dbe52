import type { MCPExternalAuthConfigSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { listStrategies, type Strategy } from './support/outgoing-strategies.ts';

type AwsSts = Omit<NonNullable<Strategy['awsSts']>, 'region'>;

const ROLE = /^arn:(?:aws|aws-cn|aws-us-gov):iam::\d{12}:role\/.+$/;

/** Session durations that AWS allows, in seconds. */
const SESSION = { least: 900, most: 43200 };

/**
 * AWS roles need a fallback or a mapping, and each mapping exactly one condition.
 *
 * @holds outgoingAuth and config.outgoingAuth | `awsSts` | `fallbackRoleArn` or `roleMappings`; one condition each; ARNs; 900–43200 s |
 *   LNT1010, LNT1021, LNT1012, LNT1013
 * @holds Other kinds | MCPExternalAuthConfig, `awsSts`, `xaa` | as for the strategies above | -
 */
export function awsRoles(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPExternalAuthConfig') {
    const { awsSts } = resource.spec as MCPExternalAuthConfigSpec;
    return awsSts === undefined ? [] : check(resource, awsSts, ['spec', 'awsSts']);
  }
  return listStrategies(resource).flatMap(({ strategy, path }) =>
    strategy.type !== 'aws_sts' || strategy.awsSts === undefined
      ? []
      : check(resource, strategy.awsSts, [...path, 'awsSts']),
  );
}

function check(resource: Resource, awsSts: AwsSts, path: Path): Diagnostic[] {
  const { fallbackRoleArn = '', roleMappings = [], sessionDuration } = awsSts;
  const found: Diagnostic[] = [];
  if (fallbackRoleArn === '' && roleMappings.length === 0) {
    found.push(diagnose(resource.document, 'LNT1010', path, 'awsSts needs fallbackRoleArn or roleMappings'));
  }
  if (fallbackRoleArn !== '') found.push(...checkRoleArn(resource, fallbackRoleArn, [...path, 'fallbackRoleArn']));
  if (sessionDuration !== undefined && (sessionDuration < SESSION.least || sessionDuration > SESSION.most)) {
    const form = `${SESSION.least} to ${SESSION.most} seconds`;
    const message = `expected ${form}, found ${sessionDuration}`;
    found.push(
      diagnose(resource.document, 'LNT1013', [...path, 'sessionDuration'], message, {
        help: `Write ${form}, such as 3600`,
      }),
    );
  }
  for (const [index, { claim = '', matcher = '', roleArn: arn }] of roleMappings.entries()) {
    const at = [...path, 'roleMappings', index];
    found.push(...checkRoleArn(resource, arn, [...at, 'roleArn']));
    if (claim === '' && matcher === '') {
      found.push(diagnose(resource.document, 'LNT1010', at, 'a role mapping needs claim or matcher'));
    }
    if (claim !== '' && matcher !== '') {
      const message = 'claim and matcher exclude each other';
      found.push(diagnose(resource.document, 'LNT1021', [...at, 'matcher'], message, { at: 'key' }));
    }
  }
  return found;
}

function checkRoleArn(resource: Resource, arn: string, path: Path): Diagnostic[] {
  if (ROLE.test(arn)) return [];
  const form = 'the ARN of a role, such as arn:aws:iam::123456789012:role/reader';
  return [diagnose(resource.document, 'LNT1012', path, `expected ${form}`, { help: `Write ${form}` })];
}
