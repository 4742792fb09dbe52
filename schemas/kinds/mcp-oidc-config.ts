import { Type } from 'typebox';
import { caBundleRef, conditions, configHash, observedGeneration, secretKeyRef } from './blocks.ts';
import { ageColumn, validColumn } from './columns.ts';
import { fields, type KindDefinition, oneOf, refined } from './define.ts';

const serviceAccountSource = fields(
  'ServiceAccountOidc',
  {
    serviceAccount: Type.Optional(
      Type.String({ description: 'Name of the ServiceAccount; informational, without effect.' }),
    ),
    namespace: Type.Optional(
      Type.String({ description: 'Namespace of the ServiceAccount; informational, without effect.' }),
    ),
    issuer: Type.Optional(
      Type.String({ default: 'https://kubernetes.default.svc', description: 'Issuer of ServiceAccount tokens.' }),
    ),
    jwksUrl: Type.Optional(Type.String({ description: 'URL of the key set; setting it skips discovery.' })),
    introspectionUrl: Type.Optional(Type.String({ description: 'Introspection endpoint (RFC 7662).' })),
    useClusterAuth: Type.Optional(
      Type.Boolean({
        description: "Use the pod's own certificate authority and token toward the API server. Default: true.",
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
    clientId: Type.Optional(Type.String({ description: 'Client identifier, used for introspection.' })),
    clientSecretRef: Type.Optional(refined(secretKeyRef, { description: 'Client secret, used for introspection.' })),
    caBundleRef: Type.Optional(
      refined(caBundleRef, {
        description:
          'Certificate authorities to trust for the issuer and its key set, in place of those of the system.',
      }),
    ),
    jwksAuthTokenPath: Type.Optional(
      Type.String({ description: 'File whose content is sent as bearer token when the key set is fetched.' }),
    ),
    jwksAllowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: 'Permit a key set at a private address.' }),
    ),
    protectedResourceAllowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: 'Permit protected-resource metadata at a private address.' }),
    ),
    insecureAllowHTTP: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Permit plain http. An attacker on the network can then forge keys; for development only.',
      }),
    ),
  },
  { description: 'Issuer that is described in this object.' },
);

export const mcpOidcConfig: KindDefinition = {
  kind: 'MCPOIDCConfig',
  plural: 'mcpoidcconfigs',
  singular: 'mcpoidcconfig',
  shortNames: ['mcpoidc'],
  description: 'A token issuer to trust; servers that refer to this object share it, each with its own audience.',
  specRequired: false,
  printerColumns: [{ name: 'Source', type: 'string', jsonPath: '.spec.type' }, validColumn, ageColumn],
  spec: fields(
    'MCPOIDCConfigSpec',
    {
      type: oneOf(['kubernetesServiceAccount', 'inline'], {
        description: 'Type of the issuer. The field of the same name must be set.',
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
