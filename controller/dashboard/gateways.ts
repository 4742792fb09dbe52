/** Gateways and registry servers: what they serve, and what their source reports. */
import { type HtmlCell, renderHtmlTable } from '#compiler';
import type { MCPRegistryStatus, SourceGateway, VirtualMCPServerStatus } from '#schemas';
import { readAnnotation, SOURCE_ANNOTATION } from '../apply/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { readStatus as sourceStatusOf } from './sources.ts';
import { formatName, shortenDigest, toCell, toWarning, type WaitingCause } from './waiting.ts';

const HEAD = [
  { name: 'name' },
  { name: 'source' },
  { name: 'phase' },
  { name: 'active digest' },
  { name: 'newest digest' },
  { name: 'backends', align: 'right' as const },
  { name: 'address' },
];

export function renderGatewayTable(workloads: readonly KubeObject[], sources: readonly KubeObject[]): string {
  const units = indexUnits(sources);
  const rows = workloads.map(workload => renderRow(workload, units.get(formatUnitKey(workload))));
  return renderHtmlTable({ title: 'Gateways and registry servers', id: 'gateways', level: 2, head: HEAD, rows });
}

function renderRow(workload: KubeObject, unit: SourceGateway | undefined): readonly HtmlCell[] {
  const { phase, url, ...status } = toStatus(workload);
  const active = unit?.activeDigest;
  const newest = unit?.digest;
  return [
    toCell(`${formatName(workload)}${workload.kind === 'MCPRegistry' ? ' (registry server)' : ''}`),
    toCell(readAnnotation(workload, SOURCE_ANNOTATION) ?? 'none: nothing serves it'),
    phase === 'Ready' ? toCell(phase) : toWarning(phase ?? 'unknown'),
    { text: shortenDigest(active), tone: 'dim' },
    toWarning(newest === active ? '' : shortenDigest(newest)),
    toCell('backendCount' in status ? status.backendCount : undefined),
    toCell(url),
  ];
}

/** Gateways and registry servers that do not run their source's revision, or are unhealthy. */
export function listWaitingGateways(
  workloads: readonly KubeObject[],
  sources: readonly KubeObject[],
): readonly WaitingCause[] {
  const units = indexUnits(sources);
  return workloads.flatMap(workload => {
    const { phase, message = '', conditions = [] } = toStatus(workload);
    const unit = units.get(formatUnitKey(workload));
    const causes: WaitingCause[] = [];
    const addCause = (reason: string, text: string, since?: string) =>
      causes.push({ kind: workload.kind, name: formatName(workload), reason, message: text, since });
    if (unit?.message !== undefined)
      addCause(unit.heldDigest === undefined ? 'RollingOut' : 'PutBack', unit.message, unit.since);
    if (phase !== undefined && phase !== 'Ready' && message !== unit?.message) {
      const since = conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime;
      addCause(phase, message, since);
    }
    return causes;
  });
}

function toStatus({ status }: KubeObject): VirtualMCPServerStatus | MCPRegistryStatus {
  return (status ?? {}) as VirtualMCPServerStatus;
}

function indexUnits(sources: readonly KubeObject[]): ReadonlyMap<string, SourceGateway> {
  const units = sources.flatMap(source => sourceStatusOf(source).gateways ?? []);
  return new Map(units.map(unit => [`${unit.kind}/${unit.namespace}/${unit.name}`, unit]));
}

function formatUnitKey(workload: KubeObject): string {
  return `${workload.kind === 'MCPRegistry' ? 'registry' : 'gateway'}/${formatName(workload)}`;
}
