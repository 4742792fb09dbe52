import { type TSchema, Type } from 'typebox';
import { upstreamName } from '../authz-config.ts';
import { HTTPS_URL, secretKeyRef } from '../blocks.ts';
import { fields, identifier, oneOf, refined } from '../define.ts';
import { additionalAuthorizationParams, oauth2Upstream, redirectUri } from './oauth2-upstream.ts';
import { userInfo } from './user-info.ts';

const oidcUpstream = fields(
  'OidcUpstream',
  {
    issuerUrl: Type.String({
      ...HTTPS_URL,
      description: 'Issuer of the upstream; its endpoints are discovered from there.',
    }),
    clientId: Type.String({ description: 'Client identifier at the upstream.' }),
    clientSecretRef: Type.Optional(
      refined(secretKeyRef, { description: 'Client secret; leave it out for a public client with PKCE.' }),
    ),
    redirectUri: Type.Optional(redirectUri),
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        default: ['openid', 'offline_access'],
        description:
          'Scopes to request from the upstream. Set them if the upstream issues refresh tokens by another means than the scope `offline_access`.',
      }),
    ),
    subjectClaim: Type.Optional(
      Type.String({
        maxLength: 128,
        ...identifier('sub'),
        default: 'sub',
        description: 'Claim of the ID token that identifies the user.',
      }),
    ),
    userInfoOverride: Type.Optional(
      refined(userInfo, { description: 'Replaces the discovered userinfo endpoint, its method or its field names.' }),
    ),
    additionalAuthorizationParams: Type.Optional(additionalAuthorizationParams),
  },
  { description: 'An upstream that speaks OpenID Connect.' },
);

export const upstreamProvider: TSchema = fields(
  'UpstreamProvider',
  {
    name: upstreamName({ description: 'Name by which other fields refer to this upstream; unique in the list.' }),
    type: oneOf(['oidc', 'oauth2'], {
      description: 'Protocol of the upstream; selects `oidcConfig` or `oauth2Config`.',
    }),
    oidcConfig: Type.Optional(oidcUpstream),
    oauth2Config: Type.Optional(oauth2Upstream),
  },
  {
    description: 'An identity provider at which users sign in.',
    rules: [
      {
        rule: "self.type == 'oidc' ? (has(self.oidcConfig) && !has(self.oauth2Config)) : (has(self.oauth2Config) && !has(self.oidcConfig))",
        message: "set oidcConfig alone when type is 'oidc', and oauth2Config alone when type is 'oauth2'",
      },
    ],
  },
);
