import { posix } from 'node:path';
import type { GatewayBundle, RegistryBundle } from '#schemas';
import { findTemplateContainers, type TemplateContainer } from './template-container.ts';

/** Where pods can write without a volume of ours. */
const WRITABLE = ['/tmp', '/dev'];

/**
 * The folder of the audit log that needs a volume, since the file system of the image cannot be written to. A volume that the
 * pod template mounts there, or above, is for the log to be kept in: none of ours gets in front of it.
 */
export function findAuditFolder(bundle: GatewayBundle | RegistryBundle): string | null {
  const file = bundle.audit?.file ?? null;
  if (file === null) return null;
  const folder = posix.dirname(file);
  const covered = [...WRITABLE, ...writableMounts(bundle)];
  return covered.some(path => folder === path || folder.startsWith(`${path.replace(/\/+$/, '')}/`)) ? null : folder;
}

function writableMounts(bundle: GatewayBundle | RegistryBundle): readonly string[] {
  const { deployment } = bundle;
  const own = (deployment !== null && 'volumeMounts' in deployment ? deployment.volumeMounts : []) as Mounts;
  return [...own, ...findTemplateContainers(bundle).flatMap(({ volumeMounts = [] }) => volumeMounts)].flatMap(
    ({ mountPath, readOnly }) => (mountPath === undefined || readOnly === true ? [] : [mountPath]),
  );
}

type Mounts = NonNullable<TemplateContainer['volumeMounts']>;
