/** The shape of token validation settings, shared by both kinds of bundles. */
import { boolean, httpUrl, nullable, oneOf, optional, type Shape, string, variants } from './checks.ts';
import { SECRET } from './outgoing-shape.ts';

export const TOKEN_PROVIDER: Shape = {
  name: string,
  issuer: string,
  audience: string,
  keys: { type: oneOf('discovery', 'jwks'), url: httpUrl },
  keysToken: nullable(SECRET),
  introspection: nullable({
    url: httpUrl,
    credentials: variants('type', {
      none: {},
      public: { clientId: string },
      basic: { clientId: string, secret: SECRET },
      bearer: { token: SECRET },
    }),
  }),
  trust: variants('type', {
    default: {},
    pem: { pem: string, replaces: boolean },
    file: { path: string, replaces: boolean },
  }),
  addresses: oneOf('any', 'private', 'public'),
  allowsHttp: boolean,
};

export const RESOURCE_METADATA: Shape = {
  url: string,
  paths: [string],
  document: {
    resource: string,
    authorization_servers: [string],
    bearer_methods_supported: [oneOf('header')],
    scopes_supported: optional([string]),
    resource_documentation: optional(string),
  },
};
