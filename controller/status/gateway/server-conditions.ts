/** Maps the compiler's findings to conditions of an MCPServer or MCPRemoteProxy, with their reasons. */
import type { MCPServerSpec } from '#schemas';
import type { Row } from './spec-conditions.ts';

const NOT_FOUND = ['LNT2001'];

/** The condition of a config reference: whether the config exists, and is valid. */
function createReferenceRow(type: string, name: string, field: keyof MCPServerSpec, kind: string): Row<MCPServerSpec> {
  const at = [`/spec/${field}`];
  return {
    type,
    good: `${name}Valid`,
    applies: spec => spec[field] !== undefined,
    bad: [
      { codes: NOT_FOUND, at, reason: `${name}NotFound` },
      { at, reason: `${name}NotValid` },
      { kind, reason: `${name}NotValid` },
    ],
  };
}

/** A finding belongs to the first matching row. */
export const SERVER_ROWS: readonly Row<MCPServerSpec>[] = [
  {
    type: 'PodTemplateValid',
    good: 'ValidPodTemplateSpec',
    applies: spec => spec.podTemplateSpec !== undefined,
    bad: [{ at: ['/spec/podTemplateSpec'], reason: 'InvalidPodTemplateSpec' }],
  },
  createReferenceRow('GroupRefValidated', 'GroupRef', 'groupRef', 'MCPGroup'),
  createReferenceRow('OIDCConfigRefValidated', 'OIDCConfigRef', 'oidcConfigRef', 'MCPOIDCConfig'),
  createReferenceRow('AuthzConfigRefValidated', 'AuthzConfigRef', 'authzConfigRef', 'MCPAuthzConfig'),
  createReferenceRow('TelemetryConfigRefValidated', 'TelemetryConfigRef', 'telemetryConfigRef', 'MCPTelemetryConfig'),
  createReferenceRow('ToolConfigValidated', 'ToolConfigRef', 'toolConfigRef', 'MCPToolConfig'),
  createReferenceRow('AuthServerRefValidated', 'AuthServerRef', 'authServerRef', 'MCPExternalAuthConfig'),
  createReferenceRow(
    'ExternalAuthConfigValidated',
    'ExternalAuthConfig',
    'externalAuthConfigRef',
    'MCPExternalAuthConfig',
  ),
  {
    type: 'RateLimitConfigValid',
    good: 'RateLimitConfigValid',
    applies: spec => spec.rateLimiting !== undefined,
    bad: [{ at: ['/spec/rateLimiting'], reason: 'RateLimitConfigInvalid' }],
  },
  {
    type: 'AuthConfigured',
    good: 'AuthValid',
    applies: spec => spec.authzConfig !== undefined,
    bad: [
      { at: ['/spec/authzConfig/configMap'], reason: 'AuthzConfigMapNotFound' },
      { at: ['/spec/authzConfig'], reason: 'AuthzPolicySyntaxInvalid' },
      { kind: 'ConfigMap', reason: 'AuthzConfigMapInvalid' },
    ],
  },
];
