/** The positions that constructs and hooks recorded for parts of an object. */
import type { CallSiteFrames, SynthesizedObject } from '../synthesized.ts';
import type { PartProvenance } from './exchange.ts';
import { parseBundleFrames } from './frames.ts';
import { madeAt, patchedAt } from './hooks.ts';

/**
 * The records of `lintel/cdk8s`; see `origins.ts` and `problems.ts` there. Only symbols are shared, not code, because the program has its own
 * copy.
 */
const ORIGINS = Symbol.for('lintel.dev/origins');
const PROBLEMS = Symbol.for('lintel.dev/problems');

/** The position of an argument of a call that became no part of an object. */
const CALL = { pointer: '/call', at: 'value' } as const;

interface ArgumentSite {
  readonly stack: string;
  readonly argument: readonly (string | number)[];
  readonly at?: 'key';
}

interface NotedObject {
  readonly [ORIGINS]?: readonly { readonly pointer: string; readonly callSite: ArgumentSite }[];
  readonly [PROBLEMS]?: readonly { readonly message: string; readonly callSite?: ArgumentSite }[];
}

interface Patch {
  _toJson?(): { readonly op: string; readonly path: string };
}

interface Construct {
  readonly node: { readonly path: string };
}

export function readProvenance(construct: object): Pick<SynthesizedObject, 'origins' | 'patches'> {
  return { origins: listOrigins(construct), patches: listPatches(construct) };
}

/** Describes an invalid part of an object, with the positions that its construct recorded. */
export function describePart(construct: Construct, pointer: string, at: PartProvenance['at']): PartProvenance {
  return { constructPath: construct.node.path, pointer, at, ...readProvenance(construct) };
}

/** Describes the argument that a construct's problem is about. */
export function describeProblemPart(construct: Construct, message: string): PartProvenance | undefined {
  const { callSite } = (construct as NotedObject)[PROBLEMS]?.find(problem => problem.message === message) ?? {};
  if (callSite === undefined) return undefined;
  const { path: constructPath } = construct.node;
  return { constructPath, ...CALL, origins: [{ pointer: CALL.pointer, callSite: toCallSite(callSite) }], patches: [] };
}

/** Describes a patch that does not apply to the object, by the call that made it. */
export function describePatchPart(construct: Construct, patch: object): PartProvenance | undefined {
  const callSite = findCallSiteOfPatch(patch);
  if (callSite === undefined) return undefined;
  const { path: constructPath } = construct.node;
  return { constructPath, ...CALL, origins: [], patches: [{ op: 'add', path: CALL.pointer, callSite }] };
}

function findCallSiteOfPatch(patch: object): CallSiteFrames | undefined {
  const { stack, index } = patchedAt.get(patch) ?? {};
  return index === undefined ? undefined : { frames: parseBundleFrames(stack), argument: [index] };
}

/** The stack frames of the call that created a construct. */
export function getConstructFrames(construct: object): CallSiteFrames['frames'] {
  return parseBundleFrames(madeAt.get(construct));
}

function listOrigins(construct: object): SynthesizedObject['origins'] {
  const noted = ((construct as NotedObject)[ORIGINS] ?? []).map(({ pointer, callSite }) => ({
    pointer,
    callSite: toCallSite(callSite),
  }));
  if (noted.some(({ pointer }) => pointer === '')) return noted;
  // Every construct takes its props as the third argument.
  return [{ pointer: '', callSite: { frames: getConstructFrames(construct), argument: [2] } }, ...noted];
}

function toCallSite({ stack, ...where }: ArgumentSite): CallSiteFrames {
  return { frames: parseBundleFrames(stack), ...where };
}

function listPatches(construct: object): SynthesizedObject['patches'] {
  const { patches = [] } = construct as { patches?: readonly Patch[] };
  return patches.flatMap(patch => {
    const operation = patch._toJson?.();
    if (operation === undefined) return [];
    const { op, path } = operation;
    const callSite = findCallSiteOfPatch(patch);
    return [{ op, path, ...(callSite && { callSite: { ...callSite, argument: [...callSite.argument, 'value'] } }) }];
  });
}
