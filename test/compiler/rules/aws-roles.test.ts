import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const strategy = (text: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${text} } }`);
const role = 'arn:aws:iam::123456789012:role/reader';

test.each<[string, string[], string[]]>([
  [
    'a fallback role, and mappings with one condition each',
    [
      strategy(`{ type: aws_sts, awsSts: { region: us-east-1, fallbackRoleArn: '${role}' } }`),
      object(
        'MCPExternalAuthConfig',
        `{ type: awsSts, awsSts: { region: us-east-1, roleMappings: [{ claim: a, roleArn: '${role}' }, { matcher: b, roleArn: '${role}' }] } }`,
      ),
    ],
    [],
  ],
  [
    'no role',
    [
      strategy('{ type: aws_sts, awsSts: { region: us-east-1 } }'),
      object('MCPExternalAuthConfig', '{ type: awsSts, awsSts: { region: us-east-1 } }'),
    ],
    [
      'LNT1010 error 7:79 awsSts needs fallbackRoleArn or roleMappings',
      'LNT1010 error 12:31 awsSts needs fallbackRoleArn or roleMappings',
    ],
  ],
  [
    'a mapping with two conditions and a mapping with none',
    [
      object(
        'MCPExternalAuthConfig',
        `{ type: awsSts, awsSts: { region: us-east-1, roleMappings: [{ claim: a, matcher: b, roleArn: '${role}' }, { roleArn: '${role}' }] } }`,
      ),
    ],
    [
      'LNT1021 error 4:79 claim and matcher exclude each other',
      'LNT1010 error 4:143 a role mapping needs claim or matcher',
    ],
  ],
  [
    'an invalid role ARN, which the schema does not check',
    [
      strategy(
        '{ type: aws_sts, awsSts: { region: us-east-1, fallbackRoleArn: reader, sessionDuration: 60, roleMappings: [{ claim: a, roleArn: x }] } }',
      ),
    ],
    [
      'LNT1012 error 7:117 expected the ARN of a role, such as arn:aws:iam::123456789012:role/reader',
      'LNT1013 error 7:142 expected 900 to 43200 seconds, found 60',
      'LNT1012 error 7:182 expected the ARN of a role, such as arn:aws:iam::123456789012:role/reader',
    ],
  ],
])('the rule awsRoles gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('awsRoles', ...objects)).toEqual(expected);
});
