import { findNearest } from '#shared/util';
import { resolveStepTarget, type StepCall, type StepTarget } from '../../analysis/gateway/composites.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { mayBeBrokenMember } from '../../resolve/group-members.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { findBackend, formatInGateway } from '../support/gateway-locations.ts';
import { formatQuotedList, suggestFix } from '../support/texts.ts';

type UnknownTarget = Extract<StepTarget, { readonly type: 'unknown' }>;

/**
 * Steps and rate limits must name existing tools.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `steps[].tool`, `step.tool` | exist | LNT3001
 * @holds The rest of config | `rateLimiting.tools[].name` | an advertised tool | LNT3001
 * @needs all backends
 */
export function toolReferences(gateway: GatewayModel): Diagnostic[] {
  return [
    ...gateway.composites.flatMap(({ resource, calls }) =>
      calls.flatMap(call => (call.target.type === 'tool' ? [] : checkStepCall(gateway, resource, call, call.target))),
    ),
    ...checkLimitedTools(gateway),
  ];
}

function checkStepCall(
  gateway: GatewayModel,
  resource: Resource,
  { call, callPath }: StepCall,
  target: UnknownTarget,
): Diagnostic[] {
  const { tool = '' } = call;
  const report = (message: string, details = {}) => {
    const text = `${message}${formatInGateway(gateway, resource)}`;
    return [diagnose(resource.document, 'LNT3001', [...callPath, 'tool'], text, details)];
  };
  if (gateway.composites.some(({ name }) => name === tool)) {
    return report(`"${tool}" is a composite tool, and steps can only call tools of backends`);
  }
  if (!target.certain) return checkBackend(gateway, tool, target, report);
  const withheld = gateway.withheld.tools.filter(({ name, backend, originalName }) =>
    [name, `${backend}.${originalName}`].includes(tool),
  );
  if (withheld.length > 0) {
    const backends = formatQuotedList([...new Set(withheld.map(({ backend }) => backend))]);
    return report(`"${tool}" cannot be called: the tool of ${backends} is withheld because of its name`);
  }
  const renamed = findRenamedTool(gateway, tool, target);
  if (renamed !== undefined) {
    return report(
      `"${tool}" is not a tool: after the name of the backend, write the name that the backend gives the tool`,
      {
        fix: `write "${renamed}"`,
      },
    );
  }
  const message =
    target.backend === undefined
      ? `no backend has a tool "${tool}"`
      : `backend "${target.backend}" has no tool "${tool.slice(target.backend.length + 1)}"`;
  return report(message, suggestFix(findNearest(tool, listCallableNames(gateway, target))));
}

/**
 * Even without the catalog, `<workload>.` names the backend, unless a tool has such a name. If all names are prefixed, a name without a
 * backend's prefix cannot exist.
 */
function checkBackend(
  gateway: GatewayModel,
  tool: string,
  { backend }: UnknownTarget,
  report: (message: string, details: object) => Diagnostic[],
): Diagnostic[] {
  if (backend !== undefined) return [];
  const { inventory, resource, backends, plan } = gateway;
  const [workload, ...rest] = tool.split('.') as [string, ...string[]];
  const group = { namespace: resource.namespace, name: resource.spec.groupRef.name };
  if (mayBeBrokenMember(inventory, group, workload)) return [];
  const warn = (message: string, fix: string) => report(message, { severity: 'warning', fix });
  const names = backends.map(({ name }) => name);
  const isNamed = workload !== '' && rest.length > 0;
  const close = isNamed ? findNearest(workload, names) : undefined;
  const message = `no backend is named "${workload}"`;
  if (close !== undefined) return warn(message, `did you mean "${[close, ...rest].join('.')}"?`);
  const isOpen = backends.length === 0 || plan.aggregation.strategy !== 'prefix';
  if (isOpen || backends.some(entry => tool.startsWith(entry.plan.tools.prefix))) return [];
  if (isNamed) return warn(message, `name one of ${formatQuotedList(names)} before the dot`);
  const meant = names.length === 1 ? `${names[0]}.${tool}` : `<backend>.${tool}`;
  return warn(`no tool is called "${tool}": each name begins with the prefix of its backend`, `write "${meant}"`);
}

/** The name that works if a step calls a renamed tool `<backend>.<new name>`: behind the name of a backend, only the tool's original name works. */
function findRenamedTool(gateway: GatewayModel, tool: string, { backend = '' }: UnknownTarget): string | undefined {
  const overrides = findBackend(gateway, backend)?.plan.tools.overrides ?? {};
  const newName = tool.slice(backend.length + 1);
  const original = Object.keys(overrides).find(name => overrides[name]?.name === newName);
  return original !== undefined && gateway.toolNames.findByOriginalName(backend, original)
    ? `${backend}.${original}`
    : undefined;
}

/** Candidates in the form of the reference: with the backend's name, or the client-visible name. */
function listCallableNames({ tools, toolNames }: GatewayModel, { backend }: UnknownTarget): readonly string[] {
  if (backend === undefined) return tools.flatMap(tool => [tool.name, `${tool.backend}.${tool.originalName}`]);
  return [...toolNames.getToolsOf(backend).keys()].map(name => `${backend}.${name}`);
}

/** Limits apply to client calls, so they use client-visible names. */
function checkLimitedTools(gateway: GatewayModel): Diagnostic[] {
  const { resource, composites, toolNames, isLocked } = gateway;
  const limits = resource.spec.config?.rateLimiting?.tools ?? [];
  return limits.flatMap(({ name }, index) => {
    if (composites.some(composite => composite.name === name)) return [];
    const path = ['spec', 'config', 'rateLimiting', 'tools', index, 'name'];
    const tool = toolNames.findByName(name);
    if (tool?.advertised) return [];
    if (tool !== undefined) {
      const unseen = tool.fault === undefined ? 'hidden' : `withheld (${tool.fault.detail})`;
      const message = `"${name}" is ${unseen}, so clients do not call it and the limit has no effect`;
      return [diagnose(resource.document, 'LNT3001', path, message, { severity: 'warning' })];
    }
    if (!isLocked) return [];
    const meant = resolveStepTarget(name, gateway);
    const shown = gateway.tools.flatMap(entry => (entry.advertised ? entry.name : []));
    const close =
      meant.type === 'tool'
        ? meant.tool.name
        : findNearest(name, [...shown, ...composites.map(composite => composite.name)]);
    return [diagnose(resource.document, 'LNT3001', path, `clients see no tool "${name}"`, suggestFix(close))];
  });
}
