import type { GatewayBundle } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { MAIN_CONTAINER } from '../../analysis/pods/main-container.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isLoopback } from '../support/plain-http.ts';

interface Container {
  readonly name?: unknown;
  readonly restartPolicy?: unknown;
}

/**
 * In a pod, loopback addresses mean the pod itself: a server that runs next to the gateway during development is missing there.
 *
 * @holds config.aggregation, backends | `backends[].url` | in a pod: not on loopback, unless the pod has another container | LNT6020
 * @reads pods
 */
export function loopbackInPod({ settings, resource, plan, backends }: GatewayModel): Diagnostic[] {
  if (settings.target !== 'pods' || hasOthersBeside(plan)) return [];
  return backends
    .filter(({ plan: { url }, origin }) => origin.resource === resource && isLoopback(url))
    .map(({ name, plan: { url }, origin }) => {
      const { hostname } = new URL(url);
      const message = `in a pod "${hostname}" is the pod itself, where no other program runs: backend "${name}" cannot be reached`;
      const fix = 'name the host of the backend, such as its Service, or run it in the pod by podTemplateSpec';
      return diagnose(resource.document, 'LNT6020', [...origin.path, 'url'], message, { fix });
    });
}

/** Containers of a pod share its loopback address, but a template does not say which of them listens where. */
function hasOthersBeside({ deployment: { podTemplateSpec } }: GatewayBundle): boolean {
  const { containers, initContainers } = (podTemplateSpec?.spec ?? {}) as {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
  return (
    containers?.some(({ name }) => name !== MAIN_CONTAINER.VirtualMCPServer) === true ||
    initContainers?.some(isSidecar) === true
  );
}
