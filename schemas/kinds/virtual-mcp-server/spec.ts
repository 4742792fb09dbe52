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
      'Embedding server for the optimizer; it must be ready before the gateway is. Without `config.optimizer` it switches the optimizer on with its defaults.',
  },
);

/** CEL: callers are authenticated. */
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
          'Headers of client requests to hand on to backends; all others stop at the gateway. `Authorization`, `Cookie` and headers that steer the connection are refused.',
      }),
    ),
    replicas: Type.Optional(
      Type.Integer({
        format: 'int32',
        minimum: 0,
        description: 'Number of pods. Unset leaves it to an autoscaler.',
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
          'Session affinity of the Service: `ClientIP` brings a client back to the same pod; `None` suits a load balancer with an affinity of its own.',
      }),
    ),
    serviceAccount: Type.Optional(
      Type.String({ description: 'Existing service account to run under; without it one is created.' }),
    ),
    imagePullSecrets: Type.Optional(
      refined(imagePullSecrets, {
        description:
          'Secrets with which images are pulled, for the pods and for the created service account. Entries of the pod template are merged in and win by name.',
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
          "neither spec.incomingAuth nor spec.config.incomingAuth says who may connect: set one of them, with type 'anonymous' if everybody may",
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
