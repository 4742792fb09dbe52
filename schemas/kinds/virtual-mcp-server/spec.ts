import { type TObject, Type } from 'typebox';
import { embeddedAuthServer } from '../auth-server/index.ts';
import { fields, objectRef, oneOf, refined } from '../define.ts';
import { groupRef, telemetryConfigRef } from '../references.ts';
import { sessionStorage } from '../session-storage.ts';
import { imagePullSecrets, podTemplateSpec } from '../workload.ts';
import { gatewayConfig } from './config.ts';
import { incomingAuth } from './incoming-auth.ts';
import { outgoingAuth } from './outgoing-auth.ts';

const embeddingServerRef = fields(
  'EmbeddingServerRef',
  { name: objectRef('EmbeddingServer', { description: 'Name of the EmbeddingServer.' }) },
  {
    description:
      'EmbeddingServer for the optimizer. The gateway becomes ready only after it. If `config.optimizer` is absent, this field turns the optimizer on with its defaults.',
  },
);

/** A CEL expression that is true if callers are authenticated. */
const KNOWS_CALLERS =
  "(has(self.incomingAuth) ? self.incomingAuth.type == 'oidc' : has(self.config.incomingAuth) && self.config.incomingAuth.type == 'oidc')";

export const virtualMcpServerSpec: TObject = fields(
  'VirtualMCPServerSpec',
  {
    groupRef: refined(groupRef, { description: 'The group whose members are the backends.' }),
    incomingAuth: Type.Optional(incomingAuth),
    outgoingAuth: Type.Optional(outgoingAuth),
    config: Type.Optional(gatewayConfig),
    authServerConfig: Type.Optional(
      refined(embeddedAuthServer, {
        description:
          'Runs an authorization server inside the gateway. Its issuer must equal that of the MCPOIDCConfig in `incomingAuth`. Absent: an external identity provider issues the tokens.',
      }),
    ),
    embeddingServerRef: Type.Optional(embeddingServerRef),
    telemetryConfigRef: Type.Optional(telemetryConfigRef),
    sessionStorage: Type.Optional(sessionStorage),
    passthroughHeaders: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Headers of client requests that the gateway forwards to backends; it forwards no others. `Authorization`, `Cookie` and hop-by-hop headers are not allowed.',
      }),
    ),
    replicas: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 0,
        description: 'Number of pods. Absent: an autoscaler decides.',
      }),
    ),
    serviceType: Type.Optional(
      oneOf(['ClusterIP', 'NodePort', 'LoadBalancer'], {
        default: 'ClusterIP',
        description: 'Type of the Service of the gateway.',
      }),
    ),
    sessionAffinity: Type.Optional(
      oneOf(['ClientIP', 'None'], {
        default: 'ClientIP',
        description:
          'Session affinity of the Service. `ClientIP`: requests from one address reach the same pod. `None`: for a load balancer that has an affinity of its own.',
      }),
    ),
    serviceAccount: Type.Optional(
      Type.String({
        description: 'Name of an existing ServiceAccount for the pods. Absent: a ServiceAccount is created.',
      }),
    ),
    imagePullSecrets: Type.Optional(
      refined(imagePullSecrets, {
        description:
          'Secrets for pulling images, for the pods and for the created ServiceAccount. Entries of the pod template are added; an entry of the same name replaces the one here.',
      }),
    ),
    podTemplateSpec: Type.Optional(podTemplateSpec('vmcp')),
  },
  {
    description: 'Desired state of the gateway.',
    rules: [
      {
        rule: 'has(self.incomingAuth) || (has(self.config) && has(self.config.incomingAuth))',
        message:
          "neither spec.incomingAuth nor spec.config.incomingAuth is set: set one of them, with type 'anonymous' if clients need no credentials",
      },
      {
        rule: "!has(self.config) || !has(self.config.rateLimiting) || (has(self.sessionStorage) && self.sessionStorage.provider == 'redis') || (has(self.replicas) && self.replicas == 1)",
        message:
          "replicas share the counters of config.rateLimiting in Redis: set spec.sessionStorage with provider 'redis', or spec.replicas to 1",
      },
      {
        rule: `!has(self.config) || !has(self.config.rateLimiting) || !has(self.config.rateLimiting.perUser) || ${KNOWS_CALLERS}`,
        message: "config.rateLimiting.perUser needs to know the caller: set incomingAuth.type to 'oidc'",
      },
      {
        rule: `!has(self.config) || !has(self.config.rateLimiting) || !has(self.config.rateLimiting.tools) || ${KNOWS_CALLERS} || !self.config.rateLimiting.tools.exists(t, has(t.perUser))`,
        message: "perUser in config.rateLimiting.tools needs to know the caller: set incomingAuth.type to 'oidc'",
      },
      {
        rule: "!has(self.embeddingServerRef) || !has(self.config) || !has(self.config.optimizer) || !has(self.config.optimizer.embeddingProvider) || self.config.optimizer.embeddingProvider != 'openai'",
        message:
          "embeddingServerRef cannot be combined with embeddingProvider 'openai': an EmbeddingServer speaks 'tei'; drop one of the two",
      },
    ],
  },
);
