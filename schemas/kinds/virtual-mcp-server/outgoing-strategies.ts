/** The strategies of `config.outgoingAuth`: how a backend gets the caller's identity. */
import { type TSchema, Type } from 'typebox';
import { AWS_REGION, HTTPS_URL } from '../blocks.ts';
import { fields, oneOf } from '../define.ts';

function secretText(description: string): TSchema {
  return Type.Optional(Type.String({ 'x-lintel-sensitive': true, description }));
}

function envName(what: string): TSchema {
  return Type.Optional(Type.String({ description: `Name of the environment variable that holds ${what}.` }));
}

const scopes: TSchema = Type.Optional(Type.Array(Type.String(), { description: 'Scopes to ask for.' }));

export const headerInjection: TSchema = fields(
  'HeaderInjectionStrategy',
  {
    headerName: Type.String({ description: 'Name of the header.' }),
    headerValue: secretText('Its value in the clear. Prefer `headerValueEnv`; only one of the two may be set.'),
    headerValueEnv: envName('the value'),
  },
  { description: 'Sets one header to a fixed value.' },
);

export const tokenExchange: TSchema = fields(
  'TokenExchangeStrategy',
  {
    tokenUrl: Type.String({ description: 'Token endpoint that performs the exchange.' }),
    audience: Type.Optional(Type.String({ description: 'Audience of the new token.' })),
    clientId: Type.Optional(Type.String({ description: 'Client identifier of the gateway.' })),
    clientSecret: secretText('Client secret in the clear. Prefer `clientSecretEnv`.'),
    clientSecretEnv: envName('the client secret'),
    scopes,
    subjectTokenType: Type.Optional(
      Type.String({
        default: 'urn:ietf:params:oauth:token-type:access_token',
        description: 'Type of the token handed in; the short forms `access_token`, `id_token` and `jwt` are known.',
      }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          'Upstream whose token is handed in. Default: the first upstream of the embedded authorization server, else the token of the caller.',
      }),
    ),
  },
  { description: 'Exchanges the token of the caller for one that the backend accepts (RFC 8693).' },
);

export const upstreamInject: TSchema = fields(
  'UpstreamInjectStrategy',
  {
    providerName: Type.String({ description: 'Name of an upstream of the embedded authorization server.' }),
  },
  { description: 'Sends the access token that the upstream gave for the person.' },
);

const roleMapping: TSchema = fields(
  'AwsRoleMappingStrategy',
  {
    roleArn: Type.String({ description: 'Role to assume.' }),
    claim: Type.Optional(Type.String({ description: 'Value to look for in the claim `roleClaim`.' })),
    matcher: Type.Optional(Type.String({ description: 'CEL expression over `claims`, instead of `claim`.' })),
    priority: Type.Optional(
      Type.Integer({ description: 'Lower numbers are tried first; entries without a number come last.' }),
    ),
  },
  { description: 'Which callers get a role.' },
);

export const awsSts: TSchema = fields(
  'AwsStsStrategy',
  {
    region: Type.String({
      ...AWS_REGION,
      description: 'AWS region of the token service and of the signature.',
    }),
    service: Type.Optional(Type.String({ description: 'Service name in the signature. Default: `aws-mcp`.' })),
    fallbackRoleArn: Type.Optional(Type.String({ description: 'Role to assume when no mapping matches.' })),
    roleMappings: Type.Optional(Type.Array(roleMapping, { description: 'Choice of the role by claims.' })),
    roleClaim: Type.Optional(
      Type.String({ description: 'Claim in which mappings look for `claim`. Default: `groups`.' }),
    ),
    sessionDuration: Type.Optional(
      Type.Integer({ format: 'int32', description: 'Life of the credentials in seconds. Default: 3600.' }),
    ),
    sessionNameClaim: Type.Optional(
      Type.String({ description: 'Claim that names the session in AWS logs. Default: `sub`.' }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          'Upstream whose token is the web identity. Default: the first upstream, else the token of the caller.',
      }),
    ),
  },
  { description: 'Assumes an AWS role with the identity of the caller and signs requests with its credentials.' },
);

export const obo: TSchema = fields(
  'OboStrategy',
  {
    tokenUrl: Type.String({ description: 'Token endpoint of the directory.' }),
    clientId: Type.Optional(Type.String({ description: 'Client identifier of the gateway.' })),
    clientSecret: secretText('Client secret in the clear. Prefer `clientSecretEnv`; only one of the two may be set.'),
    clientSecretEnv: envName('the client secret'),
    audience: Type.Optional(Type.String({ description: 'Target of the new token, when `scopes` is empty.' })),
    scopes,
    subjectTokenProviderName: Type.Optional(
      Type.String({ description: 'Upstream whose token is handed in. Empty: the token of the caller.' }),
    ),
    cacheSkewSeconds: Type.Optional(
      Type.Integer({ format: 'int32', description: 'Seconds before expiry at which a cached token is renewed.' }),
    ),
  },
  { description: 'On-behalf-of: obtains a delegated token for the person from a directory.' },
);

export const xaa: TSchema = fields(
  'XaaStrategy',
  {
    idpTokenUrl: Type.String({
      ...HTTPS_URL,
      description: 'Token endpoint of the identity provider, which issues the assertion.',
    }),
    idpClientId: Type.Optional(Type.String({ description: 'Client identifier at the identity provider.' })),
    idpClientSecret: secretText('Client secret there in the clear. Prefer `idpClientSecretEnv`.'),
    idpClientSecretEnv: envName('the client secret for the identity provider'),
    targetTokenUrl: Type.String({
      description: 'Token endpoint of the target, which trades the assertion for a token.',
    }),
    insecureTargetTokenUrl: Type.Optional(
      Type.Boolean({ description: 'Permit plain http toward the target; tokens then travel in the clear.' }),
    ),
    targetClientId: Type.Optional(Type.String({ description: 'Client identifier at the target.' })),
    targetClientSecret: secretText('Client secret there in the clear. Prefer `targetClientSecretEnv`.'),
    targetClientSecretEnv: envName('the client secret for the target'),
    targetAudience: Type.String({ description: 'Audience of the assertion: the authorization server of the target.' }),
    targetResource: Type.Optional(Type.String({ description: 'Resource indicator of the target.' })),
    scopes,
    subjectProviderName: Type.Optional(
      Type.String({ description: 'Upstream whose ID token is used; may be left out when there is only one.' }),
    ),
    subjectTokenType: Type.Optional(
      oneOf(['urn:ietf:params:oauth:token-type:id_token'], {
        description: 'Type of the token handed in; only ID tokens are possible.',
      }),
    ),
  },
  {
    description: 'Cross-application access: an identity assertion of the identity provider opens another application.',
  },
);
