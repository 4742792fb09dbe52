/** Finds where a part of a merged template was written in the patch. */
import { isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import { isAboutList } from './directives.ts';
import { getPodTemplateSchema, type PodSchema } from './pod-schema.ts';

export interface PatchLocation {
  /** The path of the part, from the root of the patch. */
  readonly path: Path;
  /** Whether the patch contains the part itself, and not only a parent of it. */
  readonly isWhole: boolean;
}

/** The deepest part of a path of `merged` that `patch` sets. */
export function locateInPatch(patch: unknown, merged: unknown, path: Path): PatchLocation {
  const found: (string | number)[] = [];
  let schema: PodSchema = getPodTemplateSchema();
  let [patchNode, whole] = [patch, merged];
  for (const step of path) {
    const inPatch =
      typeof step === 'number' ? indexIn(patchNode, getMember(whole, step), step, schema) : findName(patchNode, step);
    if (inPatch === undefined) return { path: found, isWhole: false };
    found.push(inPatch);
    patchNode = getMember(patchNode, inPatch);
    whole = getMember(whole, step);
    schema =
      (typeof step === 'number' ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties)) ?? {};
  }
  return { path: found, isWhole: true };
}

function findName(patchNode: unknown, name: string): string | undefined {
  return isObject(patchNode) && Object.hasOwn(patchNode, name) && patchNode[name] !== null ? name : undefined;
}

/** The index in the patch's list of the item that led to `item` of the merged list; undefined when the patch has none. */
function indexIn(patchNode: unknown, item: unknown, index: number, schema: PodSchema): number | undefined {
  if (!Array.isArray(patchNode)) return undefined;
  const key = schema['x-lintel-merge-key'];
  if (key === undefined && schema['x-lintel-merge-set'] !== true) {
    const items = [...patchNode.keys()].filter(at => !isAboutList(patchNode[at]));
    return items[index];
  }
  const readId = (value: unknown) => (key === undefined ? value : getMember(value, key));
  const id = readId(item);
  const at = patchNode.findIndex(value => readId(value) === id && !(isObject(value) && value.$patch === 'delete'));
  return id === undefined || at < 0 ? undefined : at;
}

function getMember(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
