import { type TSchema, Type } from 'typebox';
import { AWS_REGION } from '../blocks.ts';
import { type Form, fields, form } from '../define.ts';

const ROLE_ARN: Form = form(
  '^arn:(aws|aws-cn|aws-us-gov):iam::\\d{12}:role/.+$',
  'the ARN of a role',
  'arn:aws:iam::123456789012:role/reader',
);

const roleMapping: TSchema = fields(
  'AwsRoleMapping',
  {
    claim: Type.Optional(
      Type.String({ minLength: 1, description: 'Value to look for in the claim `roleClaim`; or use `matcher`.' }),
    ),
    matcher: Type.Optional(
      Type.String({ minLength: 1, description: 'CEL expression over `claims`, instead of `claim`.' }),
    ),
    roleArn: Type.String({ ...ROLE_ARN, description: 'Role to assume.' }),
    priority: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 0,
        description:
          'Order of the mappings: lower numbers are tried first, mappings without a number last. Mappings with equal numbers are tried in the order of the list.',
      }),
    ),
  },
  { description: 'Which callers get a role; exactly one of `claim` and `matcher`.' },
);

export const awsStsConfig: TSchema = fields(
  'AwsStsConfig',
  {
    region: Type.String({
      ...AWS_REGION,
      description: 'AWS region of the token service and of the signature.',
    }),
    service: Type.Optional(Type.String({ default: 'aws-mcp', description: 'Service name in the signature.' })),
    fallbackRoleArn: Type.Optional(
      Type.String({ ...ROLE_ARN, description: 'Role to assume when no mapping matches.' }),
    ),
    roleMappings: Type.Optional(Type.Array(roleMapping, { description: 'Roles by claims of the caller.' })),
    roleClaim: Type.Optional(
      Type.String({ default: 'groups', description: 'Claim in which mappings look for `claim`.' }),
    ),
    sessionDuration: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 900,
        maximum: 43200,
        default: 3600,
        description: 'Lifetime of the credentials, in seconds.',
      }),
    ),
    sessionNameClaim: Type.Optional(
      Type.String({ default: 'sub', description: 'Claim that names the session in AWS logs.' }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          'Upstream whose token a VirtualMCPServer uses as web identity. Empty: the first upstream of its authorization server, if it has one.',
      }),
    ),
  },
  { description: 'Assumes an AWS role with the identity of the caller and signs requests with its credentials.' },
);
