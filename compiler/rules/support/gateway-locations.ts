/** Locates the settings that rename and hide tools. */
import type { VirtualMCPServerSpec, WorkloadTools } from '#schemas';
import { findOverride } from '#shared/plan';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { Resource } from '../../resolve/inventory.ts';
import type { ObjectLocation } from '../../resolve/related-location.ts';
import type { Path } from '../../source/source-document.ts';

/** The location of one backend's settings. */
export interface SettingsLocation {
  readonly resource: Resource;
  readonly filter: Path;
  readonly overrides: Path;
}

export const AGGREGATION: Path = ['spec', 'config', 'aggregation'];

/** Where a backend's tools are configured: its entry, otherwise the setting for all backends. */
export function locateTools(gateway: GatewayModel, backend: string): ObjectLocation {
  const index = listEntries(gateway.resource).findIndex(({ workload }) => workload === backend);
  return { resource: gateway.resource, path: index < 0 ? AGGREGATION : [...AGGREGATION, 'tools', index] };
}

/** The location of a backend's filter and overrides: inline, or in the MCPToolConfig of its entry. */
export function locateSettings(gateway: GatewayModel, backend: string): SettingsLocation | undefined {
  const { resource, inventory } = gateway;
  const index = listEntries(resource).findIndex(({ workload }) => workload === backend);
  if (index < 0) return undefined;
  const shared = listEntries(resource)[index]?.toolConfigRef;
  if (shared === undefined) {
    const path = [...AGGREGATION, 'tools', index];
    return { resource, filter: [...path, 'filter'], overrides: [...path, 'overrides'] };
  }
  const config = inventory.find('MCPToolConfig', resource.namespace, shared.name);
  if (config === undefined) return undefined;
  return { resource: config, filter: ['spec', 'toolsFilter'], overrides: ['spec', 'toolsOverride'] };
}

/** Where a tool gets its name: its override, otherwise the description of its backend. */
export function locateName(gateway: GatewayModel, backend: string, originalName: string): ObjectLocation | undefined {
  const model = findBackend(gateway, backend);
  if (model === undefined) return undefined;
  const override = findOverride(model.plan.tools.overrides, originalName);
  const settings = override?.name === undefined ? undefined : locateSettings(gateway, backend);
  if (settings === undefined) return { resource: model.origin.resource, path: model.origin.path };
  return { resource: settings.resource, path: [...settings.overrides, originalName, 'name'] };
}

export function findBackend(gateway: GatewayModel, name: string): BackendModel | undefined {
  return gateway.backends.find(backend => backend.name === name);
}

/** Added to messages about objects that several gateways share. */
export function formatInGateway(gateway: GatewayModel, resource: Resource): string {
  return resource === gateway.resource ? '' : ` (in gateway "${gateway.resource.name}")`;
}

function listEntries({ spec }: Resource<VirtualMCPServerSpec>): readonly WorkloadTools[] {
  return spec.config?.aggregation?.tools ?? [];
}
