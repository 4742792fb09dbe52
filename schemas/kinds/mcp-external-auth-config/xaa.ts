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
      Type.Boolean({ description: 'Permit plain http toward the target; tokens then travel in the clear.' }),
    ),
    targetClientId: Type.Optional(Type.String({ description: 'Client identifier at the target.' })),
    targetClientSecretRef: Type.Optional(refined(secretKeyRef, { description: 'Client secret at the target.' })),
    targetAudience: Type.String({ description: 'Audience of the assertion: the authorization server of the target.' }),
    targetResource: Type.Optional(Type.String({ description: 'Resource indicator of the target.' })),
    scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to ask for in both steps.' })),
    subjectProviderName: Type.Optional(
      Type.String({ description: 'Upstream whose ID token is used; may be left out when there is only one.' }),
    ),
    subjectTokenType: Type.Optional(
      oneOf(['urn:ietf:params:oauth:token-type:id_token'], {
        description: 'Type of the token handed in; only ID tokens are possible.',
      }),
    ),
  },
  {
    description: 'Cross-application access: an identity assertion of the identity provider opens another application.',
  },
);
