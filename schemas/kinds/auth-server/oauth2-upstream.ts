import { type TSchema, Type } from 'typebox';
import { HTTP_URL, secretKeyRef } from '../blocks.ts';
import { fields, record, refined } from '../define.ts';
import { dynamicRegistration } from './dynamic-registration.ts';
import { identityFromToken, tokenResponseMapping, userInfo } from './user-info.ts';

export const additionalAuthorizationParams: TSchema = record(Type.String(), {
  maxProperties: 16,
  description:
    'Extra query parameters of the authorization request. Parameters that the protocol itself sets, such as `state` or `scope`, are refused.',
});

export const redirectUri: TSchema = Type.String({
  description:
    "URL to which the upstream redirects the user's browser after sign-in. Default: `{resourceUrl}/oauth/callback`.",
});

export const oauth2Upstream: TSchema = fields(
  'OAuth2Upstream',
  {
    authorizationEndpoint: Type.String({
      ...HTTP_URL,
      description: 'Authorization endpoint of the upstream.',
    }),
    tokenEndpoint: Type.String({ ...HTTP_URL, description: 'Token endpoint of the upstream.' }),
    clientId: Type.Optional(
      Type.String({ description: 'Client identifier at the upstream; must be empty when `dcrConfig` is set.' }),
    ),
    clientSecretRef: Type.Optional(
      refined(secretKeyRef, { description: 'Client secret; leave it out for a public client with PKCE.' }),
    ),
    dcrConfig: Type.Optional(dynamicRegistration),
    redirectUri: Type.Optional(redirectUri),
    scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to request from the upstream.' })),
    userInfo: Type.Optional(
      refined(userInfo, {
        description:
          'Userinfo request that returns the identity of the user. Without `userInfo` and `identityFromToken`, the subject is derived from the access token.',
      }),
    ),
    identityFromToken: Type.Optional(identityFromToken),
    tokenResponseMapping: Type.Optional(tokenResponseMapping),
    additionalAuthorizationParams: Type.Optional(additionalAuthorizationParams),
    insecureAllowHTTP: Type.Optional(
      Type.Boolean({ description: 'Permit plain http endpoints. Secrets are then sent unencrypted.' }),
    ),
    allowPrivateIPs: Type.Optional(
      Type.Boolean({
        description:
          'Permit endpoints at private addresses. A manipulated configuration could then make the gateway send requests to internal services.',
      }),
    ),
  },
  {
    description: 'An upstream that speaks OAuth 2 without OpenID Connect.',
    rules: [
      {
        rule: '(has(self.clientId) && size(self.clientId) > 0) != has(self.dcrConfig)',
        message: 'set either clientId or dcrConfig, not both and not neither',
      },
      {
        rule: '!(has(self.clientSecretRef) && has(self.dcrConfig))',
        message: 'clientSecretRef cannot be combined with dcrConfig: registration itself yields the secret',
      },
    ],
  },
);
