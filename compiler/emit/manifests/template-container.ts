import type { GatewayBundle, RegistryBundle } from '#schemas';
import { MAIN_CONTAINER } from '../../analysis/pods/main-container.ts';

/** What manifests read of a container of the pod template; values as written. */
export interface TemplateContainer {
  readonly name?: string;
  readonly env?: readonly { readonly name?: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly mountPath?: string; readonly readOnly?: boolean }[];
}

/** What the pod template says of the container of the runtime: none, or one. */
export function templateContainersOf({
  kind,
  deployment,
}: GatewayBundle | RegistryBundle): readonly TemplateContainer[] {
  const { containers = [] } = (deployment?.podTemplateSpec?.spec ?? {}) as {
    readonly containers?: readonly TemplateContainer[];
  };
  const main = kind === 'gateway' ? MAIN_CONTAINER.VirtualMCPServer : MAIN_CONTAINER.MCPRegistry;
  return containers.filter(({ name }) => name === main);
}
