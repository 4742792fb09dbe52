/** Writes the status of MCPGroups; nothing else writes it. */
import { readAnnotation, SOURCE_ANNOTATION } from '../apply/index.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import {
  composeStatus,
  computeGroupStatus,
  MEMBER_KINDS,
  readGroupName,
  selectOwnGroupStatus,
} from '../status/index.ts';
import type { Caches } from './caches.ts';
import { formatWorkloadKey, type WorkloadKey } from './workload-status.ts';

export const GROUP_KIND = 'MCPGroup';

export interface GroupMembersOptions {
  readonly client: KubeClient;
  readonly caches: Pick<Caches, 'inputs'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class GroupMembers {
  readonly #options: GroupMembersOptions;

  constructor(options: GroupMembersOptions) {
    this.#options = options;
  }

  /** Keys of all groups that a source applied; another controller writes the status of the rest. */
  get keys(): readonly WorkloadKey[] {
    return this.#listObjects()
      .filter(object => object.kind === GROUP_KIND && readAnnotation(object, SOURCE_ANNOTATION) !== undefined)
      .map(formatWorkloadKey);
  }

  /** Keys of the groups whose status depends on an object that was added, changed or deleted. */
  listKeys(now: KubeObject | undefined, before: KubeObject | undefined): readonly WorkloadKey[] {
    const { kind = '', metadata: { namespace, name } = { name: '' } } = now ?? before ?? {};
    const names =
      kind === GROUP_KIND
        ? [name]
        : isMember(kind)
          ? [now, before].flatMap(object => object && readGroupName(object))
          : [];
    return this.keys.filter(key => {
      const [, , , ofNamespace, ofName] = key.split('/');
      return ofNamespace === namespace && names.includes(ofName);
    });
  }

  /** @throws KubeError */
  async update(key: WorkloadKey, signal: AbortSignal): Promise<undefined> {
    const { client, now } = this.#options;
    const group = this.#listObjects().find(object => formatWorkloadKey(object) === key);
    if (group === undefined || readAnnotation(group, SOURCE_ANNOTATION) === undefined) return;
    const { namespace, name } = group.metadata;
    const members = this.#listObjects(namespace).filter(
      object => isMember(object.kind) && readGroupName(object) === name,
    );
    const compose = ({ metadata: { generation = 0 }, status }: KubeObject) => ({
      status: computeGroupStatus({ generation, now: new Date(now()), members }, status as object | undefined),
      ours: selectOwnGroupStatus as (status: object) => object,
    });
    await composeStatus(client, group, compose, signal);
  }

  #listObjects(namespace?: string): readonly KubeObject[] {
    return this.#options.caches.inputs.flatMap(cache => cache.list(namespace));
  }
}

function isMember(kind: string): boolean {
  return (MEMBER_KINDS as readonly string[]).includes(kind);
}
