/** Which changes of a workload's objects become events at the gateway or server. */
import type { StatusEvent } from './status-events.ts';

type Action = 'create' | 'configure' | 'recreate';

/** The reasons of a change and of a failed attempt, by kind. */
const REASONS: {
  readonly [kind: string]: { readonly [outcome in 'done' | 'failed']: { readonly [action in Action]?: string } };
} = {
  Deployment: {
    done: { create: 'DeploymentCreated', configure: 'DeploymentUpdated', recreate: 'DeploymentCreated' },
    failed: {
      create: 'DeploymentCreationFailed',
      configure: 'DeploymentUpdateFailed',
      recreate: 'DeploymentCreationFailed',
    },
  },
  Service: {
    done: { create: 'ServiceCreated', recreate: 'ServiceCreated' },
    failed: { create: 'ServiceCreationFailed', recreate: 'ServiceCreationFailed' },
  },
};

/**
 * The event about a change, or about a failed attempt.
 * @param error why it failed; undefined for success
 */
export function createAppliedEvent(
  { action, object }: { readonly action: Action; readonly object: AppliedObject },
  error: Error | undefined,
): StatusEvent | undefined {
  const { kind, metadata } = object;
  const reason = REASONS[kind]?.[error === undefined ? 'done' : 'failed'][action];
  if (reason === undefined) return undefined;
  return error === undefined
    ? {
        type: 'Normal',
        reason,
        message: `${kind} ${metadata.name} was ${action === 'configure' ? 'updated' : 'created'}`,
      }
    : { type: 'Warning', reason, message: error.message };
}

/**
 * Pods cannot start because a Secret or one of its keys is missing.
 * @param message names it, never a value
 */
export function createMissingSecretEvent(message: string): StatusEvent {
  return { type: 'Warning', reason: 'SecretValidationFailed', message };
}

interface AppliedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}
