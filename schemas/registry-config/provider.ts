import { type TSchema, Type } from 'typebox';
import { fields } from '../kinds/define.ts';
import { filePath } from './define.ts';

/** An identity provider whose tokens are accepted. */
export const provider: TSchema = fields(
  'RegistryProvider',
  {
    name: Type.String({ minLength: 1, description: 'Name of the provider in logs and metrics.' }),
    issuerUrl: Type.String({
      minLength: 1,
      description: 'Issuer. `iss` of a token must equal it byte for byte, including a trailing slash.',
    }),
    audience: Type.String({ minLength: 1, description: 'The audience that `aud` of a token must name.' }),
    jwksUrl: Type.Optional(
      Type.String({ minLength: 1, description: 'URL of the key set. Default: OpenID discovery finds it.' }),
    ),
    introspectionUrl: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Introspection endpoint for opaque tokens (RFC 7662). Without it, only JWTs are accepted.',
      }),
    ),
    clientId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Client id for introspection. Without `clientSecretFile` it is sent as `client_id`, as public clients do (RFC 6749, 3.2.1).',
      }),
    ),
    clientSecretFile: Type.Optional(filePath({ description: 'File with the client secret for introspection.' })),
    caCertPath: Type.Optional(
      filePath({ description: 'PEM file with the certificate authorities to trust in place of those of the system.' }),
    ),
    authTokenFile: Type.Optional(
      filePath({
        description:
          'File with a bearer token. The server sends it when it fetches the key set, and for introspection if `clientId` is not set.',
      }),
    ),
    allowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: 'Permit a provider at a private address.' }),
    ),
  },
  { description: 'An identity provider whose tokens are accepted.' },
);
