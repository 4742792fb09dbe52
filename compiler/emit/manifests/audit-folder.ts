import { posix } from 'node:path';
import type { GatewayBundle, RegistryBundle } from '#schemas';
import { MAIN_CONTAINER } from '../../analysis/pods/main-container.ts';

/** Where pods can write without a volume of ours. */
const WRITABLE = ['/tmp', '/dev'];

/**
 * The folder of the audit log that needs a volume, since the file system of the image cannot be written to. A volume that the
 * pod template mounts there, or above, is for the log to be kept in: none of ours gets in front of it.
 */
export function auditFolderOf(bundle: GatewayBundle | RegistryBundle): string | null {
  const { audit, deployment } = bundle;
  const file = audit?.file ?? null;
  if (file === null) return null;
  const folder = posix.dirname(file);
  const covered = [...WRITABLE, ...writableMounts(bundle.kind, deployment)];
  return covered.some(path => folder === path || folder.startsWith(`${path.replace(/\/+$/, '')}/`)) ? null : folder;
}

function writableMounts(
  kind: 'gateway' | 'registry',
  deployment: GatewayBundle['deployment'] | RegistryBundle['deployment'],
): readonly string[] {
  const { containers = [] } = (deployment?.podTemplateSpec?.spec ?? {}) as PodSpec;
  const main = kind === 'gateway' ? MAIN_CONTAINER.VirtualMCPServer : MAIN_CONTAINER.MCPRegistry;
  const own = (deployment !== null && 'volumeMounts' in deployment ? deployment.volumeMounts : []) as readonly Mount[];
  return [
    ...own,
    ...containers.filter(({ name }) => name === main).flatMap(({ volumeMounts = [] }) => volumeMounts),
  ].flatMap(({ mountPath, readOnly }) => (mountPath === undefined || readOnly === true ? [] : [mountPath]));
}

interface Mount {
  readonly mountPath?: string;
  readonly readOnly?: boolean;
}

interface PodSpec {
  readonly containers?: readonly { readonly name?: string; readonly volumeMounts?: readonly Mount[] }[];
}
