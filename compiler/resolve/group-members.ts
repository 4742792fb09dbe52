import type { MCPRemoteProxySpec, MCPServerEntrySpec, MCPServerSpec, VirtualMCPServerSpec } from '#schemas';
import { getMember } from '#schemas';
import type { ResourceDocument } from '../source/classify.ts';
import { Index, type Inventory, type Resource } from './inventory.ts';

export interface GroupMembers {
  readonly servers: readonly Resource<MCPServerSpec>[];
  readonly proxies: readonly Resource<MCPRemoteProxySpec>[];
  readonly entries: readonly Resource<MCPServerEntrySpec>[];
}

/** The kinds whose `spec.groupRef.name` makes them backends. */
const WORKLOAD_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

type MemberSpec = MCPServerSpec | MCPRemoteProxySpec | MCPServerEntrySpec;

const MEMBERS = new Index<MemberSpec>(WORKLOAD_KINDS, ({ namespace, spec }) => {
  const group = spec.groupRef?.name;
  return group === undefined ? undefined : `${namespace}/${group}`;
});

/** The members of a group, which refer to it themselves, in the order of kinds and sources. */
export function listGroupWorkloads(
  inventory: Inventory,
  namespace: string,
  group: string,
): readonly Resource<MemberSpec>[] {
  return inventory.listBy(MEMBERS, `${namespace}/${group}`, namespace);
}

/** The members of a group, by kind. */
export function listGroupMembers(inventory: Inventory, namespace: string, group: string): GroupMembers {
  const workloads = listGroupWorkloads(inventory, namespace, group);
  const ofKind = (kind: string) => workloads.filter(workload => workload.kind === kind);
  return {
    servers: ofKind('MCPServer') as Resource<MCPServerSpec>[],
    proxies: ofKind('MCPRemoteProxy') as Resource<MCPRemoteProxySpec>[],
    entries: ofKind('MCPServerEntry') as Resource<MCPServerEntrySpec>[],
  };
}

/**
 * Whether a workload of this name has structural errors and may belong to the group. A workload with another group does not belong to it; a
 * workload with an unreadable `groupRef` may.
 */
export function mayBeBrokenMember(
  inventory: Inventory,
  group: { readonly namespace: string; readonly name: string },
  workload: string,
): boolean {
  return WORKLOAD_KINDS.some(kind => {
    const broken = inventory.findBroken(kind, group.namespace, workload);
    return broken !== undefined && mayBelong(broken, group.name);
  });
}

function mayBelong(broken: ResourceDocument, group: string): boolean {
  const named = getMember(getMember(getMember(broken.doc.value, 'spec'), 'groupRef'), 'name');
  return typeof named !== 'string' || named === '' || named === group;
}

const GATEWAYS = new Index<VirtualMCPServerSpec>(
  ['VirtualMCPServer'],
  ({ namespace, spec }) => `${namespace}/${spec.groupRef.name}`,
);

/**
 * Whether a gateway shows the members of the group, or may show them: a gateway with structural errors may have an unreadable `groupRef`.
 */
export function mayHaveGateway(inventory: Inventory, namespace: string, group: string): boolean {
  if (inventory.listBy(GATEWAYS, `${namespace}/${group}`, namespace).length > 0) return true;
  return inventory.listBroken('VirtualMCPServer', namespace).some(broken => mayBelong(broken, group));
}

/** Whether the group exists without errors; otherwise its members are unknown. */
export function isGroupResolved(inventory: Inventory, namespace: string, group: string): boolean {
  return inventory.find('MCPGroup', namespace, group) !== undefined;
}

/** Whether the group may have members that `listGroupMembers` lacks: workloads with errors. */
export function mayHaveBrokenMembers(inventory: Inventory, namespace: string, group: string): boolean {
  return WORKLOAD_KINDS.some(kind => inventory.listBroken(kind, namespace).some(broken => mayBelong(broken, group)));
}

/** Workloads whose group does not exist: each may be meant for any group of the namespace. */
export function listStrayWorkloads(inventory: Inventory, namespace: string): readonly Resource<MemberSpec>[] {
  return WORKLOAD_KINDS.flatMap(kind => inventory.listAll<MemberSpec>(kind, namespace)).filter(({ spec }) => {
    const group = spec.groupRef?.name;
    return group !== undefined && !isGroupResolved(inventory, namespace, group);
  });
}
