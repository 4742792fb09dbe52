import { findIdleSettings, findOverride, type IdleSetting } from '#shared/plan';
import { findNearest } from '#shared/util';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { formatInGateway, locateSettings, type SettingsLocation } from '../support/gateway-locations.ts';
import { formatQuotedList, suggestFix } from '../support/texts.ts';

/**
 * Filters and overrides must name tools that their backend has.
 *
 * @holds config.aggregation, backends | `filter`, `overrides` | name tools that exist | LNT3007
 * @holds Other kinds | MCPToolConfig | names of tools, for the gateways that use it | LNT3007
 */
export function idleToolSetting(gateway: GatewayModel): Diagnostic[] {
  return gateway.backends.flatMap(backend =>
    listIdleSettings(backend).flatMap(idle => {
      const settings = locateSettings(gateway, backend.name);
      if (settings === undefined) return [];
      const users = listUsers(gateway, settings.resource, backend);
      // The finding is reported once, if none of the backends has the tool.
      if (users[0] !== backend || users.some(user => !isIdleAt(user, idle))) return [];
      return [reportIdleSetting(gateway, users, idle, settings)];
    }),
  );
}

/** Several backends may share an MCPToolConfig, which then names tools that only one of them has. */
function listUsers(gateway: GatewayModel, holder: Resource, backend: BackendModel): readonly BackendModel[] {
  if (holder === gateway.resource) return [backend];
  return gateway.backends.filter(({ name }) => locateSettings(gateway, name)?.resource === holder);
}

function isIdleAt(backend: BackendModel, { setting, tool }: IdleSetting): boolean {
  return listIdleSettings(backend).some(idle => idle.setting === setting && idle.tool === tool);
}

function listIdleSettings({ plan, locked }: BackendModel): readonly IdleSetting[] {
  const { advertise, overrides } = plan.tools;
  if (locked === undefined || (advertise.type !== 'only' && Object.keys(overrides).length === 0)) return [];
  return findIdleSettings(plan, listOriginalNames(locked));
}

function reportIdleSetting(
  gateway: GatewayModel,
  users: readonly BackendModel[],
  { setting, tool }: IdleSetting,
  { resource, filter, overrides }: SettingsLocation,
): Diagnostic {
  const names = users.flatMap(({ locked }) => listOriginalNames(locked));
  const plans = users[0]?.plan.tools.overrides ?? {};
  // Other gateways may share the object and have the tool.
  const severity = resource === gateway.resource ? 'error' : 'warning';
  const where = formatInGateway(gateway, resource);
  const owners = formatQuotedList(users.map(({ name }) => name));
  const absent = `${owners} ${users.length > 1 ? 'have' : 'has'} no tool "${tool}"`;
  if (setting === 'override') {
    const message = `${absent}, so the override changes nothing${where}`;
    const details = { severity, at: 'key', ...suggestFix(findNearest(tool, names)) } as const;
    return diagnose(resource.document, 'LNT3007', [...overrides, tool], message, details);
  }
  const path = [...filter, indexIn(resource, filter, tool)];
  const newName = names.includes(tool) ? findOverride(plans, tool)?.name : undefined;
  if (newName !== undefined) {
    const message = `an override renames "${tool}" of ${owners}, and the filter looks at new names, so the tool is hidden${where}`;
    return diagnose(resource.document, 'LNT3007', path, message, { severity, fix: `write "${newName}"` });
  }
  const shown = names.map(name => findOverride(plans, name)?.name ?? name);
  const message = `${absent}, so this entry of the filter shows nothing${where}`;
  return diagnose(resource.document, 'LNT3007', path, message, { severity, ...suggestFix(findNearest(tool, shown)) });
}

/** The plan sorts names; the finding points at the first occurrence in the spec. */
function indexIn({ spec }: Resource, path: readonly (string | number)[], name: string): number {
  let value: unknown = { spec };
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step];
  return Array.isArray(value) ? Math.max(0, value.indexOf(name)) : 0;
}

function listOriginalNames(locked: BackendModel['locked']): readonly string[] {
  return (locked?.tools ?? []).flatMap(({ name }) => (typeof name === 'string' ? name : []));
}
