import { type TSchema, Type } from 'typebox';
import { authzConfig } from '../authz-config.ts';
import { fields, oneOf } from '../define.ts';
import { authzConfigRef, oidcConfigRef } from '../references.ts';

export const incomingAuth: TSchema = fields(
  'IncomingAuth',
  {
    type: oneOf(['anonymous', 'oidc'], {
      description:
        '`oidc`: every request needs a valid token. `anonymous`: every client is accepted without credentials. There is no default.',
    }),
    oidcConfigRef: Type.Optional(oidcConfigRef),
    authzConfig: Type.Optional(authzConfig),
    authzConfigRef: Type.Optional(authzConfigRef),
  },
  {
    description:
      'How clients authenticate. It takes precedence over `config.incomingAuth`; one of the two is required.',
    rules: [
      {
        rule: "self.type != 'oidc' || has(self.oidcConfigRef)",
        message: "incomingAuth.oidcConfigRef is missing: type 'oidc' needs an MCPOIDCConfig to validate tokens with",
      },
      {
        rule: '!(has(self.authzConfig) && has(self.authzConfigRef))',
        message: 'authzConfig and authzConfigRef cannot be combined: keep one of them',
      },
    ],
  },
);
