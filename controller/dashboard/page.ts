/** The dashboard page: first what is waiting and why, then all sources, gateways and pods. Pure: the same input gives the same page. */
import { renderHtmlDocument } from '#compiler';
import { ACCEPTED_API_GROUPS } from '#schemas';
import { readAnnotation, SOURCE_ANNOTATION } from '../apply/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { listWaitingGateways, renderGatewayTable } from './gateways.ts';
import { listWaitingPods, renderPodTable } from './pods.ts';
import { listWaitingSources, renderFindingTable, renderSourceTable } from './sources.ts';
import { NAMED, renderWaitingTable } from './waiting.ts';

export interface DashboardInput {
  readonly now: Date;
  /** Whether this process is the leader; if not, another one acts. */
  readonly isActing: boolean;
  /** Kinds of which the API server has not sent a list yet. */
  readonly missing: readonly string[];
  readonly sources: readonly KubeObject[];
  /** VirtualMCPServers and MCPRegistries. */
  readonly workloads: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}

export function renderDashboard(input: DashboardInput): string {
  const sources = input.sources.toSorted(NAMED);
  const workloads = input.workloads.filter(isOurs).toSorted(NAMED);
  const pods = input.pods.toSorted(NAMED);
  const waiting = [
    ...listWaitingSources(sources),
    ...listWaitingGateways(workloads, sources),
    ...listWaitingPods(pods),
  ];
  const content = [
    waiting.length === 0
      ? '<p>Nothing waits: each source is applied, and each gateway runs what its source says.</p>\n'
      : renderWaitingTable(waiting, input.now),
    renderSourceTable(sources),
    renderGatewayTable(workloads, sources),
    renderPodTable(pods),
    renderFindingTable(sources),
  ];
  const summary = formatSummary({ ...input, sources, workloads, pods });
  return renderHtmlDocument({ title: 'Lintel controller', summary, content: content.join('') });
}

/** Whether Lintel runs an object: another controller runs objects of another API group that no source applied. */
function isOurs(object: KubeObject): boolean {
  return (
    object.apiVersion.startsWith(`${ACCEPTED_API_GROUPS[0]}/`) ||
    readAnnotation(object, SOURCE_ANNOTATION) !== undefined
  );
}

function formatSummary({ now, isActing, missing, sources, workloads, pods }: DashboardInput): string {
  const lines = [
    `${formatCount(sources, 'source')}, ${formatCount(workloads, 'gateway or registry server', 'gateways and registry servers')}, ${formatCount(pods, 'pod')}, as this process saw them at ${now.toISOString().slice(0, 19).replace('T', ' ')} UTC.`,
    ...(isActing ? [] : ['This process only watches: another process holds the Lease and acts.']),
    ...(missing.length === 0 ? [] : [`The lists of these kinds have not been read yet: ${missing.join(', ')}.`]),
  ];
  return lines.join('\n');
}

function formatCount({ length }: readonly unknown[], one: string, many = `${one}s`): string {
  return `${length} ${length === 1 ? one : many}`;
}
