import { type TSchema, Type } from 'typebox';
import { authzConfig } from '../authz-config.ts';
import { fields, oneOf } from '../define.ts';
import { authzConfigRef, oidcConfigRef } from '../references.ts';

export const incomingAuth: TSchema = fields(
  'IncomingAuth',
  {
    type: oneOf(['anonymous', 'oidc'], {
      description: '`oidc` demands a valid token; `anonymous` lets everybody in and must be chosen on purpose.',
    }),
    oidcConfigRef: Type.Optional(oidcConfigRef),
    authzConfig: Type.Optional(authzConfig),
    authzConfigRef: Type.Optional(authzConfigRef),
  },
  {
    description: 'Who may connect. It takes precedence over `config.incomingAuth`; one of the two is required.',
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
