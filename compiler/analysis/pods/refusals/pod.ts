/** A merged pod as the rules about it see it. Any part may be of any type: types are for the schema to judge. */
import { getMember, isObject } from '#schemas';
import type { Path } from '../../../source/source-document.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A mapping of the merged template, and where it is. */
export interface PodMapping {
  readonly value: Fields;
  readonly path: Path;
}

export interface Pod {
  readonly template: Fields;
  /** Name of the container that the template addresses. */
  readonly main: string;
  /** False where another controller makes the pod: what is in it besides the template is not known. */
  readonly isWhole: boolean;
}

/** One reason for which the API server refuses the pod. */
export interface Refusal {
  /** Where, from the root of the merged template; the finding is shown at the one of which most was written by the user. */
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

/** The mappings of a member that is a list. */
export function listMappings({ value, path }: PodMapping, name: string): PodMapping[] {
  return items({ value, path }, name).flatMap(({ value: item, path }) =>
    isObject(item) ? [{ value: item, path }] : [],
  );
}

/** The items of a member that is a list, whatever they are. */
export function items({ value, path }: PodMapping, name: string): { readonly value: unknown; readonly path: Path }[] {
  const list = getMember(value, name);
  return Array.isArray(list) ? list.map((item, index) => ({ value: item, path: [...path, name, index] })) : [];
}

/** A member that is text; undefined also where it is empty, which to the API server is the same. */
export function text({ value }: PodMapping, name: string): string | undefined {
  const member = getMember(value, name);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** A member that is a whole number. */
export function number({ value }: PodMapping, name: string): number | undefined {
  const member = getMember(value, name);
  return typeof member === 'bigint' || Number.isInteger(member) ? Number(member) : undefined;
}

/** Whether a member is there at all. */
export function has({ value }: PodMapping, name: string): boolean {
  return getMember(value, name) !== undefined && getMember(value, name) !== null;
}

/** A refusal of a member. */
export function refuse(
  { path }: PodMapping,
  name: string,
  message: string,
  more: Pick<Refusal, 'at' | 'fix'> = {},
): Refusal {
  return { places: [[...path, name]], message, ...more };
}

/** The pod itself, below its template. */
export function getPodSpec({ template }: Pod): PodMapping {
  return getMapping({ value: template, path: [] }, 'spec') ?? { value: {}, path: ['spec'] };
}

export interface Container extends PodMapping {
  readonly isInit: boolean;
  /** In words: its name, or its place where it has none. */
  readonly called: string;
}

/** Init containers and containers. */
export function listContainers(pod: Pod): Container[] {
  const spec = getPodSpec(pod);
  const of = (list: string, isInit: boolean) =>
    listMappings(spec, list).map(one => ({
      ...one,
      isInit,
      called: `container ${JSON.stringify(text(one, 'name') ?? one.path.at(-1))}`,
    }));
  return [...of('initContainers', true), ...of('containers', false)];
}
