import { type TSchema, Type } from 'typebox';
import { HTTPS_URL, secretKeyRef } from '../blocks.ts';
import { fields, oneOf, refined } from '../define.ts';

export const xaaConfig: TSchema = fields(
  'XaaConfig',
  {
    idpTokenUrl: Type.String({
      ...HTTPS_URL,
      description: 'Token endpoint of the identity provider, which issues the assertion.',
    }),
    idpClientId: Type.Optional(Type.String({ description: 'Client identifier at the identity provider.' })),
    idpClientSecretRef: Type.Optional(
      refined(secretKeyRef, { description: 'Client secret at the identity provider.' }),
    ),
    targetTokenUrl: Type.String({
      description: 'Token endpoint of the target; https unless `insecureTargetTokenUrl` is set.',
    }),
    insecureTargetTokenUrl: Type.Optional(
      Type.Boolean({ description: 'Permit plain http toward the target. Tokens are then sent unencrypted.' }),
    ),
    targetClientId: Type.Optional(Type.String({ description: 'Client identifier at the target.' })),
    targetClientSecretRef: Type.Optional(refined(secretKeyRef, { description: 'Client secret at the target.' })),
    targetAudience: Type.String({ description: 'Audience of the assertion: the authorization server of the target.' }),
    targetResource: Type.Optional(Type.String({ description: 'Resource indicator of the target.' })),
    scopes: Type.Optional(
      Type.Array(Type.String(), { description: 'Scopes to request, from the identity provider and from the target.' }),
    ),
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
