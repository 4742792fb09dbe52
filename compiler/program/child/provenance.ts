/** What constructs and hooks noted about where the parts of an object were given. */
import type { CallSiteFrames, SynthesizedObject } from '../synthesized.ts';
import type { PartProvenance } from './exchange.ts';
import { parseBundleFrames } from './frames.ts';
import { madeAt, patchedAt } from './hooks.ts';

/** What `lintel/cdk8s` notes; see `origins.ts` and `problems.ts` there. The two share symbols and no code: the program brings its own copy. */
const ORIGINS = Symbol.for('lintel.dev/origins');
const PROBLEMS = Symbol.for('lintel.dev/problems');

/** The place of an argument of a call that became no part of an object. */
const CALL = { pointer: '/given', at: 'value' } as const;

interface ArgumentSite {
  readonly stack: string;
  readonly argument: readonly (string | number)[];
  readonly at?: 'key';
}

interface NotedObject {
  readonly [ORIGINS]?: readonly { readonly pointer: string; readonly given: ArgumentSite }[];
  readonly [PROBLEMS]?: readonly { readonly message: string; readonly given?: ArgumentSite }[];
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

/** A part of an object that is not as it should be. */
export function describePart(construct: Construct, pointer: string, at: PartProvenance['at']): PartProvenance {
  return { constructPath: construct.node.path, pointer, at, ...readProvenance(construct) };
}

/** What was given in the call that a problem of a construct is about. */
export function describeProblemPart(construct: Construct, message: string): PartProvenance | undefined {
  const { given } = (construct as NotedObject)[PROBLEMS]?.find(problem => problem.message === message) ?? {};
  if (given === undefined) return undefined;
  const { path: constructPath } = construct.node;
  return { constructPath, ...CALL, origins: [{ pointer: CALL.pointer, given: givenAt(given) }], patches: [] };
}

/** A patch that does not fit the object. */
export function describePatchPart(construct: Construct, patch: object): PartProvenance | undefined {
  const given = givenOfPatch(patch);
  if (given === undefined) return undefined;
  const { path: constructPath } = construct.node;
  return { constructPath, ...CALL, origins: [], patches: [{ op: 'add', path: CALL.pointer, given }] };
}

function givenOfPatch(patch: object): CallSiteFrames | undefined {
  const { stack, index } = patchedAt.get(patch) ?? {};
  return index === undefined ? undefined : { frames: parseBundleFrames(stack), argument: [index] };
}

/** Where a construct was made. */
export function framesMade(construct: object): CallSiteFrames['frames'] {
  return parseBundleFrames(madeAt.get(construct));
}

function listOrigins(construct: object): SynthesizedObject['origins'] {
  const noted = ((construct as NotedObject)[ORIGINS] ?? []).map(({ pointer, given }) => ({
    pointer,
    given: givenAt(given),
  }));
  if (noted.some(({ pointer }) => pointer === '')) return noted;
  // The third argument of every construct holds its properties.
  return [{ pointer: '', given: { frames: framesMade(construct), argument: [2] } }, ...noted];
}

function givenAt({ stack, ...where }: ArgumentSite): CallSiteFrames {
  return { frames: parseBundleFrames(stack), ...where };
}

function listPatches(construct: object): SynthesizedObject['patches'] {
  const { patches = [] } = construct as { patches?: readonly Patch[] };
  return patches.flatMap(patch => {
    const written = patch._toJson?.();
    if (written === undefined) return [];
    const { op, path } = written;
    const given = givenOfPatch(patch);
    return [{ op, path, ...(given && { given: { ...given, argument: [...given.argument, 'value'] } }) }];
  });
}
