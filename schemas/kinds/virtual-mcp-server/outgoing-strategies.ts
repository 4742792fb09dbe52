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

const scopes: TSchema = Type.Optional(Type.Array(Type.String(), { description: 'Scopes to request.' }));

export const headerInjection: TSchema = fields(
  'HeaderInjectionStrategy',
  {
    headerName: Type.String({ description: 'Name of the header.' }),
    headerValue: secretText(
      'Value of the header in plain text. Prefer `headerValueEnv`; only one of the two may be set.',
    ),
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
    clientSecret: secretText('Client secret in plain text. Prefer `clientSecretEnv`.'),
    clientSecretEnv: envName('the client secret'),
    scopes,
    subjectTokenType: Type.Optional(
      Type.String({
        default: 'urn:ietf:params:oauth:token-type:access_token',
        description:
          'Type of the token that is exchanged (`subject_token_type`). `access_token`, `id_token` and `jwt` are accepted as short forms of the URNs.',
      }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          "Upstream whose token is exchanged. Default: the first upstream of the embedded authorization server; without such a server, the caller's token is exchanged.",
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
  { description: 'Sends the access token that the upstream issued when the user signed in.' },
);

const roleMapping: TSchema = fields(
  'AwsRoleMappingStrategy',
  {
    roleArn: Type.String({ description: 'Role to assume.' }),
    claim: Type.Optional(Type.String({ description: 'Value to look for in the claim `roleClaim`.' })),
    matcher: Type.Optional(Type.String({ description: 'CEL expression over `claims`, instead of `claim`.' })),
    priority: Type.Optional(
      Type.Integer({
        description: 'Order of the mappings: lower numbers are tried first, mappings without a number last.',
      }),
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
    roleMappings: Type.Optional(Type.Array(roleMapping, { description: 'Roles by claims of the caller.' })),
    roleClaim: Type.Optional(
      Type.String({ description: 'Claim in which mappings look for `claim`. Default: `groups`.' }),
    ),
    sessionDuration: Type.Optional(
      Type.Integer({ format: 'int32', description: 'Lifetime of the credentials, in seconds. Default: 3600.' }),
    ),
    sessionNameClaim: Type.Optional(
      Type.String({ description: 'Claim that names the session in AWS logs. Default: `sub`.' }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          "Upstream whose token is sent as the web identity. Default: the first upstream; without upstreams, the caller's token.",
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
    clientSecret: secretText('Client secret in plain text. Prefer `clientSecretEnv`; only one of the two may be set.'),
    clientSecretEnv: envName('the client secret'),
    audience: Type.Optional(Type.String({ description: 'Audience of the new token; used if `scopes` is empty.' })),
    scopes,
    subjectTokenProviderName: Type.Optional(
      Type.String({ description: "Upstream whose token is exchanged. Empty: the caller's token." }),
    ),
    cacheSkewSeconds: Type.Optional(
      Type.Integer({
        format: 'int32',
        description: 'How long before its expiry a cached token is renewed, in seconds.',
      }),
    ),
  },
  { description: 'On-behalf-of flow: obtains a delegated token for the user from Microsoft Entra ID.' },
);

export const xaa: TSchema = fields(
  'XaaStrategy',
  {
    idpTokenUrl: Type.String({
      ...HTTPS_URL,
      description: 'Token endpoint of the identity provider, which issues the assertion.',
    }),
    idpClientId: Type.Optional(Type.String({ description: 'Client identifier at the identity provider.' })),
    idpClientSecret: secretText('Client secret at the identity provider in plain text. Prefer `idpClientSecretEnv`.'),
    idpClientSecretEnv: envName('the client secret for the identity provider'),
    targetTokenUrl: Type.String({
      description: 'Token endpoint of the target application. It exchanges the assertion for an access token.',
    }),
    insecureTargetTokenUrl: Type.Optional(
      Type.Boolean({ description: 'Permit plain http toward the target. Tokens are then sent unencrypted.' }),
    ),
    targetClientId: Type.Optional(Type.String({ description: 'Client identifier at the target.' })),
    targetClientSecret: secretText('Client secret at the target in plain text. Prefer `targetClientSecretEnv`.'),
    targetClientSecretEnv: envName('the client secret for the target'),
    targetAudience: Type.String({ description: 'Audience of the assertion: the authorization server of the target.' }),
    targetResource: Type.Optional(Type.String({ description: 'Resource indicator of the target.' })),
    scopes,
    subjectProviderName: Type.Optional(
      Type.String({ description: 'Upstream whose ID token is used. Optional if there is only one upstream.' }),
    ),
    subjectTokenType: Type.Optional(
      oneOf(['urn:ietf:params:oauth:token-type:id_token'], {
        description: 'Type of the token that is exchanged; only ID tokens are supported.',
      }),
    ),
  },
  {
    description:
      "Cross-app access: the gateway exchanges the user's ID token for an identity assertion, and that for an access token of another application.",
  },
);
