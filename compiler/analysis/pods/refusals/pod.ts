/** The merged pod as rules see it. Any part may have any type: the schema check reports types. */
import { getMember, isObject } from '#schemas';
import type { Path } from '../../../source/source-document.ts';

type PodFields = Readonly<Record<string, unknown>>;

/** A mapping of the merged template, and its path. */
export interface PodMapping {
  readonly value: PodFields;
  readonly path: Path;
}

export interface Pod {
  readonly template: PodFields;
  /** Name of the container that the template customizes. */
  readonly main: string;
  /** Whether the whole pod is known; false if another controller creates the pod and adds to it. */
  readonly isWhole: boolean;
}

/** An error with which the API server would refuse the pod. */
export interface Refusal {
  /** Paths from the root of the merged template. The finding points at the path of which the spec has the longest part. */
  readonly places: readonly Path[];
  readonly message: string;
  readonly at?: 'key' | 'value';
  readonly fix?: string;
}

export type PodRule = (pod: Pod) => Refusal[];

/** A member that is a mapping. */
export function getMapping({ value, path }: PodMapping, name: string): PodMapping | undefined {
  const member = getMember(value, name);
  return isObject(member) ? { value: member, path: [...path, name] } : undefined;
}

/** The mappings in a list member. */
export function listMappings({ value, path }: PodMapping, name: string): PodMapping[] {
  return listItems({ value, path }, name).flatMap(({ value: item, path }) =>
    isObject(item) ? [{ value: item, path }] : [],
  );
}

/** The items of a list member, of any type. */
export function listItems(
  { value, path }: PodMapping,
  name: string,
): { readonly value: unknown; readonly path: Path }[] {
  const list = getMember(value, name);
  return Array.isArray(list) ? list.map((item, index) => ({ value: item, path: [...path, name, index] })) : [];
}

/** A text member; undefined also for an empty text, which the API server treats as missing. */
export function getText({ value }: PodMapping, name: string): string | undefined {
  const member = getMember(value, name);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** An integer member. */
export function getNumber({ value }: PodMapping, name: string): number | undefined {
  const member = getMember(value, name);
  return typeof member === 'bigint' || Number.isInteger(member) ? Number(member) : undefined;
}

/** Whether a member exists. */
export function has({ value }: PodMapping, name: string): boolean {
  return getMember(value, name) !== undefined && getMember(value, name) !== null;
}

/** An error about a member. */
export function refuse(
  { path }: PodMapping,
  name: string,
  message: string,
  more: Pick<Refusal, 'at' | 'fix'> = {},
): Refusal {
  return { places: [[...path, name]], message, ...more };
}

/** The pod spec below the template. */
export function getPodSpec({ template }: Pod): PodMapping {
  return getMapping({ value: template, path: [] }, 'spec') ?? { value: {}, path: ['spec'] };
}

export interface Container extends PodMapping {
  readonly isInit: boolean;
  /** The container in messages: its name, or its position when it has none. */
  readonly called: string;
}

/** Init containers and containers. */
export function listContainers(pod: Pod): Container[] {
  const spec = getPodSpec(pod);
  const of = (list: string, isInit: boolean) =>
    listMappings(spec, list).map(mapping => ({
      ...mapping,
      isInit,
      called: `container ${JSON.stringify(getText(mapping, 'name') ?? mapping.path.at(-1))}`,
    }));
  return [...of('initContainers', true), ...of('containers', false)];
}
