import { Type } from 'typebox';
import { caBundleRef, conditions, configHash, observedGeneration, secretKeyRef } from './blocks.ts';
import { ageColumn, validColumn } from './columns.ts';
import { fields, type KindDefinition, oneOf, refined } from './define.ts';

const serviceAccountSource = fields(
  'ServiceAccountOidc',
  {
    serviceAccount: Type.Optional(Type.String({ description: 'Name of the service account; for people only.' })),
    namespace: Type.Optional(Type.String({ description: 'Namespace of the service account; for people only.' })),
    issuer: Type.Optional(
      Type.String({ default: 'https://kubernetes.default.svc', description: 'Issuer of service account tokens.' }),
    ),
    jwksUrl: Type.Optional(Type.String({ description: 'URL of the key set; setting it skips discovery.' })),
    introspectionUrl: Type.Optional(Type.String({ description: 'Introspection endpoint (RFC 7662).' })),
    useClusterAuth: Type.Optional(
      Type.Boolean({
        description: "Reach the API server with the pod's own certificate authority and token. Unset means true.",
      }),
    ),
  },
  { description: 'Accept tokens of Kubernetes service accounts.' },
);

const inlineSource = fields(
  'InlineOidc',
  {
    issuer: Type.String({ description: 'Issuer whose tokens are accepted; https unless `insecureAllowHTTP` is set.' }),
    jwksUrl: Type.Optional(Type.String({ description: 'URL of the key set; setting it skips discovery.' })),
    introspectionUrl: Type.Optional(
      Type.String({ description: 'Introspection endpoint (RFC 7662), for tokens that are not JWTs.' }),
    ),
    clientId: Type.Optional(Type.String({ description: 'Client identifier, mostly for introspection.' })),
    clientSecretRef: Type.Optional(refined(secretKeyRef, { description: 'Client secret, mostly for introspection.' })),
    caBundleRef: Type.Optional(
      refined(caBundleRef, {
        description: 'Certificate authorities to trust for the issuer and its key set, in place of the usual ones.',
      }),
    ),
    jwksAuthTokenPath: Type.Optional(
      Type.String({ description: 'File whose content is sent as bearer token when the key set is fetched.' }),
    ),
    jwksAllowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: 'Permit a key set on a private address.' }),
    ),
    protectedResourceAllowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: 'Permit protected-resource metadata on a private address.' }),
    ),
    insecureAllowHTTP: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Permit plain http, over which keys can be forged; for development only.',
      }),
    ),
  },
  { description: 'An issuer described in place.' },
);

export const mcpOidcConfig: KindDefinition = {
  kind: 'MCPOIDCConfig',
  plural: 'mcpoidcconfigs',
  singular: 'mcpoidcconfig',
  shortNames: ['mcpoidc'],
  description: 'A token issuer to trust; shared by the servers that refer to it, each with an audience of its own.',
  specRequired: false,
  printerColumns: [{ name: 'Source', type: 'string', jsonPath: '.spec.type' }, validColumn, ageColumn],
  spec: fields(
    'MCPOIDCConfigSpec',
    {
      type: oneOf(['kubernetesServiceAccount', 'inline'], {
        description: 'Where the settings come from; the field of the same name must be set.',
      }),
      kubernetesServiceAccount: Type.Optional(serviceAccountSource),
      inline: Type.Optional(inlineSource),
    },
    {
      description: 'Desired OpenID Connect settings.',
      rules: [
        {
          rule: "(self.type == 'kubernetesServiceAccount') == has(self.kubernetesServiceAccount)",
          message:
            "kubernetesServiceAccount must be present when type is 'kubernetesServiceAccount' and absent otherwise",
        },
        {
          rule: "(self.type == 'inline') == has(self.inline)",
          message: "inline must be present when type is 'inline' and absent otherwise",
        },
      ],
    },
  ),
  status: fields(
    'MCPOIDCConfigStatus',
    { configHash, observedGeneration, conditions },
    { description: 'Observed state of the OpenID Connect settings.' },
  ),
};
