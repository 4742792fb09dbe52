/** References to other kinds; all are resolved in the namespace of the referring object. */
import { type TSchema, Type } from 'typebox';
import { fields, objectRef, oneOf } from './define.ts';

export const groupRef: TSchema = fields(
  'GroupRef',
  { name: objectRef('MCPGroup', { description: 'Name of the MCPGroup.', minLength: 1 }) },
  { description: 'The group that this workload joins.' },
);

export const externalAuthConfigRef: TSchema = fields(
  'ExternalAuthConfigRef',
  { name: objectRef('MCPExternalAuthConfig', { description: 'Name of the MCPExternalAuthConfig.' }) },
  { description: 'How to authenticate toward the server.' },
);

export const toolConfigRef: TSchema = fields(
  'ToolConfigRef',
  { name: objectRef('MCPToolConfig', { description: 'Name of the MCPToolConfig.' }) },
  { description: 'MCPToolConfig that selects and renames the tools of this server.' },
);

export const oidcConfigRef: TSchema = fields(
  'OidcConfigRef',
  {
    name: objectRef('MCPOIDCConfig', { description: 'Name of the MCPOIDCConfig.', minLength: 1 }),
    audience: Type.String({
      description:
        'Value that `aud` of a token must contain. Give each server an audience of its own; otherwise a token for one server also works at another.',
      minLength: 1,
    }),
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Scopes advertised in the protected-resource metadata (RFC 9728).',
        default: ['openid'],
      }),
    ),
    resourceUrl: Type.Optional(
      Type.String({
        description:
          'Public URL of this server, advertised in the protected-resource metadata. Default: the cluster-internal URL of its Service.',
      }),
    ),
  },
  { description: 'Token issuer to trust, and the audience that this server requires in a token.' },
);

export const telemetryConfigRef: TSchema = fields(
  'TelemetryConfigRef',
  {
    name: objectRef('MCPTelemetryConfig', { description: 'Name of the MCPTelemetryConfig.', minLength: 1 }),
    serviceName: Type.Optional(
      Type.String({
        description:
          'Name of this server in traces and metrics; each server needs its own. Default: the name of this object.',
      }),
    ),
  },
  { description: 'Shared telemetry settings.' },
);

export const authServerRef: TSchema = fields(
  'AuthServerRef',
  {
    kind: oneOf(['MCPExternalAuthConfig'], {
      description: 'Kind of the referenced object.',
      default: 'MCPExternalAuthConfig',
    }),
    name: objectRef('MCPExternalAuthConfig', {
      description: 'Name of an MCPExternalAuthConfig whose type is `embeddedAuthServer`.',
      minLength: 1,
    }),
  },
  { description: 'Authorization server that runs in front of this proxy; it must have exactly one upstream.' },
);

export const authzConfigRef: TSchema = fields(
  'AuthzConfigRef',
  { name: objectRef('MCPAuthzConfig', { description: 'Name of the MCPAuthzConfig.', minLength: 1 }) },
  { description: 'Shared authorization policies; cannot be combined with `authzConfig`.' },
);
