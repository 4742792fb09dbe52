/** Fields that MCPServer and MCPRemoteProxy share: both put a proxy in front of a server. */
import { type TProperties, Type } from 'typebox';
import { authzConfig } from './authz-config.ts';
import { fields, oneOf } from './define.ts';
import {
  authServerRef,
  authzConfigRef,
  externalAuthConfigRef,
  groupRef,
  oidcConfigRef,
  telemetryConfigRef,
  toolConfigRef,
} from './references.ts';
import { sessionStorage } from './session-storage.ts';
import { containerResources, proxyResourceOverrides } from './workload.ts';

export const proxySpecFields: TProperties = {
  groupRef: Type.Optional(groupRef),
  proxyPort: Type.Optional(
    Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: 65535,
      default: 8080,
      description: 'TCP port of the proxy and of its Service.',
    }),
  ),
  endpointPrefix: Type.Optional(
    Type.String({ description: 'Path prefix of the SSE endpoint URLs that the proxy announces.' }),
  ),
  trustProxyHeaders: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Use `X-Forwarded-*` headers for the SSE endpoint URLs that the proxy announces. Turn it on only behind a proxy that sets these headers.',
    }),
  ),
  sessionAffinity: Type.Optional(
    oneOf(['ClientIP', 'None'], {
      description: 'Session affinity of the Service. `ClientIP`: requests from one address reach the same pod.',
      default: 'ClientIP',
    }),
  ),
  replicas: Type.Optional(
    Type.Integer({
      format: 'int32',
      minimum: 0,
      description: 'Number of proxy pods. Absent: an autoscaler decides.',
    }),
  ),
  sessionStorage: Type.Optional(sessionStorage),
  externalAuthConfigRef: Type.Optional(externalAuthConfigRef),
  authServerRef: Type.Optional(authServerRef),
  oidcConfigRef: Type.Optional(oidcConfigRef),
  authzConfig: Type.Optional(authzConfig),
  authzConfigRef: Type.Optional(authzConfigRef),
  toolConfigRef: Type.Optional(toolConfigRef),
  telemetryConfigRef: Type.Optional(telemetryConfigRef),
  audit: Type.Optional(
    fields(
      'ProxyAudit',
      {
        enabled: Type.Optional(Type.Boolean({ default: false, description: 'Write audit records.' })),
      },
      { description: 'Audit log of the proxy.' },
    ),
  ),
  resources: Type.Optional(containerResources),
  serviceAccount: Type.Optional(
    Type.String({
      description: 'Name of an existing ServiceAccount for the pods. Absent: a ServiceAccount is created.',
    }),
  ),
  resourceOverrides: Type.Optional(proxyResourceOverrides),
};

export const proxyStatusFields: TProperties = {
  url: Type.Optional(Type.String({ description: 'URL of the proxy inside the cluster. Empty until it is known.' })),
  message: Type.Optional(Type.String({ description: 'Explanation of the phase.' })),
  toolConfigHash: Type.Optional(Type.String({ description: 'Hash of the MCPToolConfig that was last read.' })),
  externalAuthConfigHash: Type.Optional(
    Type.String({ description: 'Hash of the config named by `externalAuthConfigRef` that was last read.' }),
  ),
  authServerConfigHash: Type.Optional(
    Type.String({ description: 'Hash of the config named by `authServerRef` that was last read.' }),
  ),
  authzConfigHash: Type.Optional(Type.String({ description: 'Hash of the MCPAuthzConfig that was last read.' })),
  oidcConfigHash: Type.Optional(Type.String({ description: 'Hash of the MCPOIDCConfig that was last read.' })),
  telemetryConfigHash: Type.Optional(
    Type.String({ description: 'Hash of the MCPTelemetryConfig that was last read.' }),
  ),
};
