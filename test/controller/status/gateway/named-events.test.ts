/** Every event reason of the other implementation: what causes it here, or why nothing does. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Condition, VirtualMCPServerSpec } from '#schemas';
import {
  createAppliedEvent,
  createMissingSecretEvent,
  listStatusEvents,
  type StatusEvent,
} from '../../../../controller/status/index.ts';

const SPEC: VirtualMCPServerSpec = { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } };

const applied = (kind: string, action: 'create' | 'configure', error?: string) => () =>
  createAppliedEvent(
    { action, object: { kind, metadata: { name: 'eng' } } },
    error === undefined ? undefined : new Error(error),
  );

const turned = (type: string, reason: string) => () => {
  const condition: Condition = {
    type,
    reason,
    status: 'False',
    message: 'why',
    lastTransitionTime: '2026-11-01T00:00:00Z',
  };
  return listStatusEvents(undefined, { conditions: [condition] }, undefined)[0];
};

const specified = (more: Partial<VirtualMCPServerSpec>) => () =>
  listStatusEvents(undefined, { observedGeneration: 1 }, { ...SPEC, ...more })[0];

const BY_HAND = { config: { optimizer: { embeddingService: 'http://e:8080' } } };
const FORMER_PLACE: Partial<VirtualMCPServerSpec> = {
  incomingAuth: {
    type: 'oidc',
    authzConfig: { type: 'inline', inline: { policies: [], primaryUpstreamProvider: 'company' } },
  },
};

const SOURCES = globSync('controller/**/*.ts').map(file => readFileSync(file, 'utf8'));

/** The controller writes no Secret: what replicas share is in their Redis, and the spec names the keys of the authorization server. */
const NO_SECRET_IS_MADE = 'no Secret is made';

test.each<
  [type: 'Normal' | 'Warning', reason: string, event: (() => StatusEvent | undefined) | typeof NO_SECRET_IS_MADE]
>([
  ['Normal', 'HMACSecretCreated', NO_SECRET_IS_MADE],
  ['Normal', 'DeploymentCreated', applied('Deployment', 'create')],
  ['Normal', 'DeploymentUpdated', applied('Deployment', 'configure')],
  ['Normal', 'ServiceCreated', applied('Service', 'create')],
  ['Warning', 'InvalidPodTemplateSpec', turned('PodTemplateSpecValid', 'InvalidPodTemplateSpec')],
  ['Warning', 'SecretValidationFailed', () => createMissingSecretEvent('Secret team/idp does not exist')],
  ['Warning', 'AuthzConfigMapInvalid', turned('AuthConfigured', 'AuthzConfigMapInvalid')],
  ['Warning', 'AuthzConfigMapNotFound', turned('AuthConfigured', 'AuthzConfigMapNotFound')],
  ['Warning', 'HMACSecretGenerationFailed', NO_SECRET_IS_MADE],
  ['Warning', 'HMACSecretCreationFailed', NO_SECRET_IS_MADE],
  ['Warning', 'HMACSecretValidationFailed', NO_SECRET_IS_MADE],
  ['Warning', 'DeploymentCreationFailed', applied('Deployment', 'create', 'over quota')],
  ['Warning', 'DeploymentUpdateFailed', applied('Deployment', 'configure', 'over quota')],
  ['Warning', 'ServiceCreationFailed', applied('Service', 'create', 'no address is left')],
  ['Warning', 'EmbeddingServerRefNotFound', turned('EmbeddingServerReady', 'EmbeddingServerNotFound')],
  ['Warning', 'EmbeddingServiceManual', specified(BY_HAND)],
  ['Warning', 'EmbeddingServiceOverridden', specified({ ...BY_HAND, embeddingServerRef: { name: 'mini' } })],
  ['Warning', 'AuthzPrimaryUpstreamProviderDeprecated', specified(FORMER_PLACE)],
])(
  'the controller can emit the event %s %s for a gateway, unless the test lists the event as unused',
  (type, reason, event) => {
    if (event === NO_SECRET_IS_MADE) {
      expect(SOURCES.filter(text => text.includes(reason))).toEqual([]);
      return;
    }
    const found = event();
    expect(found && `${found.type} ${found.reason}`).toBe(`${type} ${reason}`);
  },
);
