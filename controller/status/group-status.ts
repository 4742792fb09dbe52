/** The status of an MCPGroup: its members. */
import { compareText, type MCPGroupStatus } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import { setCondition } from './conditions.ts';

/** All condition types that the controller sets. */
export const GROUP_CONDITIONS: readonly string[] = ['MCPServersChecked'];

/** Kinds that are members of groups, by `spec.groupRef.name`. */
export const MEMBER_KINDS = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'] as const;

/** Name of the group in an object's reference. */
export function readGroupName({ spec }: KubeObject): string | undefined {
  return (spec as { readonly groupRef?: { readonly name?: string } } | undefined)?.groupRef?.name;
}

export interface GroupStatusInput {
  /** `metadata.generation` of the group. */
  readonly generation: number;
  readonly now: Date;
  /** All possible members in the group's namespace. */
  readonly members: readonly KubeObject[];
}

/** Pure: the same input and the same `before` give the same status. Conditions that other clients set are left out. */
export function computeGroupStatus(
  { generation, now, members }: GroupStatusInput,
  before: MCPGroupStatus = {},
): MCPGroupStatus {
  const listNames = (kind: (typeof MEMBER_KINDS)[number]) => [
    ...new Set(members.filter(member => member.kind === kind).map(({ metadata }) => metadata.name)),
  ];
  const [servers, remoteProxies, entries] = MEMBER_KINDS.map(kind => listNames(kind).sort(compareText)) as [
    string[],
    string[],
    string[],
  ];
  const finding = {
    type: 'MCPServersChecked',
    status: 'True',
    reason: 'ListMCPServersSucceeded',
    message: 'the members of the group were read',
  } as const;
  return {
    phase: 'Ready',
    ...{ servers, serverCount: servers.length },
    ...{ remoteProxies, remoteProxyCount: remoteProxies.length },
    ...{ entries, entryCount: entries.length },
    observedGeneration: generation,
    conditions: setCondition(selectOwnGroupStatus(before).conditions ?? [], finding, { generation, now }),
  };
}

/** The fields of a current status that this controller writes. */
export function selectOwnGroupStatus(status: MCPGroupStatus): MCPGroupStatus {
  const { conditions } = status;
  if (conditions === undefined) return status;
  return { ...status, conditions: conditions.filter(({ type }) => GROUP_CONDITIONS.includes(type)) };
}
