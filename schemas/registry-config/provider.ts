import { type TSchema, Type } from 'typebox';
import { fields } from '../kinds/define.ts';
import { filePath } from './define.ts';

/** An identity provider whose tokens are accepted. */
export const provider: TSchema = fields(
  'RegistryProvider',
  {
    name: Type.String({ minLength: 1, description: 'What logs and metrics call the provider.' }),
    issuerUrl: Type.String({
      minLength: 1,
      description: 'The issuer; `iss` of a token must equal it byte for byte, a trailing slash included.',
    }),
    audience: Type.String({ minLength: 1, description: 'The audience that `aud` of a token must name.' }),
    jwksUrl: Type.Optional(
      Type.String({ minLength: 1, description: 'Where the keys are; without it OpenID discovery finds them.' }),
    ),
    introspectionUrl: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Where opaque tokens are looked up (RFC 7662); without it the provider accepts JWTs only.',
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
      filePath({ description: 'PEM file with the certificate authorities to trust instead of the usual ones.' }),
    ),
    authTokenFile: Type.Optional(
      filePath({
        description: 'File with a bearer token for requests of keys, and for introspection without a client.',
      }),
    ),
    allowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the provider may be at a private address.' }),
    ),
  },
  { description: 'An identity provider whose tokens are accepted.' },
);
