/** `config.incomingAuth`: all settings inline, as in the configuration file of a gateway outside a cluster. */
import { type TSchema, Type } from 'typebox';
import { entityClaims } from '../authz-config.ts';
import { HTTP_URL } from '../blocks.ts';
import { fields, oneOf } from '../define.ts';

const oidc: TSchema = fields(
  'ConfigOidc',
  {
    issuer: Type.String({ ...HTTP_URL, description: 'Issuer whose tokens are accepted.' }),
    audience: Type.String({ description: 'Value that `aud` of a token must contain.' }),
    clientId: Type.String({ description: 'Client identifier of the gateway at the issuer.' }),
    clientSecretEnv: Type.Optional(
      Type.String({ description: 'Name of the environment variable that holds the client secret.' }),
    ),
    resource: Type.Optional(
      Type.String({
        description:
          'Resource indicator (RFC 8707) of this gateway, advertised in the protected-resource metadata. Default: the audience if it is a URL; otherwise there is no metadata.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Scopes that a token must have; all of them are required. They are also advertised in the protected-resource metadata.',
      }),
    ),
    jwksUrl: Type.Optional(Type.String({ description: 'URL of the key set; setting it skips discovery.' })),
    introspectionUrl: Type.Optional(
      Type.String({ description: 'Introspection endpoint (RFC 7662), for tokens that are not JWTs.' }),
    ),
    jwksAllowPrivateIp: Type.Optional(Type.Boolean({ description: 'Permit a key set at a private address.' })),
    protectedResourceAllowPrivateIp: Type.Optional(
      Type.Boolean({
        description:
          'Accepted without effect: it permits private addresses when protected-resource metadata is fetched, and this gateway fetches none.',
      }),
    ),
    insecureAllowHttp: Type.Optional(
      Type.Boolean({
        description:
          'Permit a plain http issuer. An attacker on the network can then forge its keys; for development only.',
      }),
    ),
    caBundlePath: Type.Optional(
      Type.String({
        description:
          'PEM file with certificate authorities to trust for the issuer and its key set, in place of those of the system.',
      }),
    ),
  },
  { description: 'How OpenID Connect tokens are validated.' },
);

const authz: TSchema = fields(
  'ConfigAuthz',
  {
    type: oneOf(['cedar', 'none'], {
      description: '`cedar`: policies decide. `none`: every caller may do everything.',
    }),
    policies: Type.Optional(Type.Array(Type.String(), { description: 'Cedar policies, with type `cedar`.' })),
    entitiesJson: Type.Optional(
      Type.String({ default: '[]', description: 'Static Cedar entities as a JSON array in a string.' }),
    ),
    primaryUpstreamProvider: Type.Optional(
      Type.String({
        description:
          'Upstream of the embedded authorization server whose token supplies the claims for policies. Empty: claims of the token that the gateway issued.',
      }),
    ),
    ...entityClaims,
  },
  { description: 'Authorization of callers.' },
);

export const configIncomingAuth: TSchema = fields(
  'ConfigIncomingAuth',
  {
    type: oneOf(['oidc', 'local', 'anonymous'], {
      description:
        'How clients authenticate. `anonymous`: every client is accepted without credentials. `oidc`: every request needs a valid token. `local`: every client on a loopback address acts as the user who runs the gateway; other addresses are refused.',
    }),
    oidc: Type.Optional(oidc),
    authz: Type.Optional(authz),
  },
  {
    description: 'How clients authenticate, without references to other objects. `spec.incomingAuth` takes precedence.',
  },
);
