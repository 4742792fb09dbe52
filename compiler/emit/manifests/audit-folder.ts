import { posix } from 'node:path';
import type { GatewayBundle, RegistryBundle } from '#schemas';
import { findTemplateContainers, type TemplateContainer } from './template-container.ts';

/** Folders in which pods can write without an extra volume. */
const WRITABLE = ['/tmp', '/dev'];

/**
 * The folder of the audit log, if it needs a volume because the image's file system is read-only. If the pod template mounts a volume at
 * this path or above it, that volume holds the log, and Lintel adds none.
 */
export function findAuditFolder(bundle: GatewayBundle | RegistryBundle): string | null {
  const file = bundle.audit?.file ?? null;
  if (file === null) return null;
  const folder = posix.dirname(file);
  const covered = [...WRITABLE, ...listWritableMounts(bundle)];
  return covered.some(path => folder === path || folder.startsWith(`${path.replace(/\/+$/, '')}/`)) ? null : folder;
}

function listWritableMounts(bundle: GatewayBundle | RegistryBundle): readonly string[] {
  const { deployment } = bundle;
  const own = (deployment !== null && 'volumeMounts' in deployment ? deployment.volumeMounts : []) as Mounts;
  return [...own, ...findTemplateContainers(bundle).flatMap(({ volumeMounts = [] }) => volumeMounts)].flatMap(
    ({ mountPath, readOnly }) => (mountPath === undefined || readOnly === true ? [] : [mountPath]),
  );
}

type Mounts = NonNullable<TemplateContainer['volumeMounts']>;
