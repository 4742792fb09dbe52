import type { GatewayBundle, RegistryBundle } from '#schemas';
import { MAIN_CONTAINER, PROXY_CONTAINER } from '../../analysis/pods/main-container.ts';

/** A container of the pod template, as far as manifests depend on it; values as written. */
export interface TemplateContainer {
  readonly name?: string;
  readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly mountPath?: string; readonly readOnly?: boolean }[];
}

/** The runtime's container in the pod template: none or one. */
export function findTemplateContainers(bundle: GatewayBundle | RegistryBundle): readonly TemplateContainer[] {
  const { containers = [] } = (bundle.deployment?.podTemplateSpec?.spec ?? {}) as {
    readonly containers?: readonly TemplateContainer[];
  };
  const main = getContainerName(bundle);
  return containers.filter(({ name }) => name === main);
}

/** The name of the runtime's container. */
export function getContainerName(bundle: GatewayBundle | RegistryBundle): string {
  if (bundle.kind === 'registry') return MAIN_CONTAINER.MCPRegistry;
  return bundle.front === undefined ? MAIN_CONTAINER.VirtualMCPServer : PROXY_CONTAINER;
}
