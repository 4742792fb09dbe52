import { posix } from 'node:path';
import type { GatewayBundle } from '#schemas';
import { MAIN_CONTAINER } from '../../pods/main-container.ts';

/** Where pods can write without a volume of ours. */
const WRITABLE = ['/tmp', '/dev'];

/**
 * The folder of the audit log that needs a volume, since the file system of the image cannot be written to. A volume that the
 * pod template mounts there, or above, is for the log to be kept in: none of ours gets in front of it.
 */
export function auditFolderOf({ audit, deployment }: Pick<GatewayBundle, 'audit' | 'deployment'>): string | null {
  const file = audit?.file ?? null;
  if (file === null) return null;
  const folder = posix.dirname(file);
  const covered = [...WRITABLE, ...mountPaths(deployment.podTemplateSpec)];
  return covered.some(path => folder === path || folder.startsWith(`${path.replace(/\/+$/, '')}/`)) ? null : folder;
}

function mountPaths(template: GatewayBundle['deployment']['podTemplateSpec']): readonly string[] {
  const { containers = [] } = (template?.spec ?? {}) as PodSpec;
  return containers
    .filter(({ name }) => name === MAIN_CONTAINER.VirtualMCPServer)
    .flatMap(({ volumeMounts = [] }) => volumeMounts)
    .flatMap(({ mountPath, readOnly }) => (mountPath === undefined || readOnly === true ? [] : [mountPath]));
}

interface PodSpec {
  readonly containers?: readonly {
    readonly name?: string;
    readonly volumeMounts?: readonly { readonly mountPath?: string; readonly readOnly?: boolean }[];
  }[];
}
