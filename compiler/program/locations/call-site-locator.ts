/** Finds the places in a program where the values of one object were given. */

import type { Location, Path, ProgramLocations } from '../../source/source-document.ts';
import { formatPointer } from '../../text/pointer.ts';
import type { CallSiteFrames, SynthesizedObject } from '../synthesized.ts';
import { findCallHead, type PlacedCall } from './find-call.ts';
import type { BundleCalls } from './frames.ts';
import type { TypeScript } from './load-typescript.ts';
import type { Modules } from './modules.ts';
import type { ProgramFiles } from './program-files.ts';
import { findLastName, type SourceNode, type TracedValue, ValueTracer } from './trace-value.ts';

/** Data that the objects of one program share. */
export interface ProgramContext {
  readonly files: ProgramFiles;
  readonly calls: BundleCalls;
  readonly modules: Modules;
}

/** The recorded position of a part of an object, and the path from this part to the value that is looked for. */
interface RecordedOrigin {
  readonly pointer: string;
  readonly callSite: CallSiteFrames;
  readonly rest: Path;
  readonly isPatch: boolean;
}

/** The index of the argument `id` of every construct; the first argument is the scope. */
const ID = 1;
const PROPERTIES = 2;

export class CallSiteLocator implements ProgramLocations {
  readonly constructPath: string;
  readonly #object: SynthesizedObject;
  readonly #context: ProgramContext;

  constructor(object: SynthesizedObject, context: ProgramContext) {
    this.constructPath = object.constructPath;
    this.#object = object;
    this.#context = context;
  }

  locate(path: Path, at: 'key' | 'value'): Location | undefined {
    for (const origin of this.#listOrigins(formatPointer(path))) {
      const found = this.#locate(origin, path, at);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  calls(path: Path): readonly Location[] {
    const [origin] = this.#listOrigins(formatPointer(path));
    return origin === undefined ? [] : this.#context.calls.listLocations(origin.callSite.frames);
  }

  /** The recorded positions for a path, the most precise first: patches, the last one first, then the records of the innermost parts. */
  #listOrigins(pointer: string): readonly RecordedOrigin[] {
    const steps = pointer.split('/').slice(1);
    const { origins, patches } = this.#object;
    const patched = patches.flatMap(patch =>
      patch.callSite ? [{ pointer: patch.path, callSite: patch.callSite }] : [],
    );
    const findRest = (around: string): Path | undefined => {
      if (pointer !== around && !pointer.startsWith(`${around}/`)) return undefined;
      return steps.slice(around.split('/').length - 1).map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    };
    const noted = origins
      .map((origin, index) => ({ ...origin, index }))
      .sort((a, b) => b.pointer.length - a.pointer.length || b.index - a.index);
    const ofEach = (
      isPatch: boolean,
      each: readonly { readonly pointer: string; readonly callSite: CallSiteFrames }[],
    ) =>
      each.flatMap(({ pointer: around, callSite }): readonly RecordedOrigin[] => {
        const rest = findRest(around);
        return rest === undefined ? [] : [{ pointer: around, callSite, rest, isPatch }];
      });
    return [...ofEach(true, patched.toReversed()), ...ofEach(false, noted)];
  }

  /**
   * Traces a patch that a method of a construct made to the call of that method, which is the better origin: the method's own record names the
   * argument that the patch came from.
   */
  #traceBehindPatch(
    { pointer, callSite, isPatch }: RecordedOrigin,
    call: PlacedCall,
    typescript: TypeScript,
  ): CallSiteFrames {
    if (!isPatch || findLastName(call.node.expression, typescript) === 'addJsonPatch') return callSite;
    const noted = this.#listOrigins(pointer).find(
      origin =>
        !origin.isPatch &&
        origin.pointer === pointer &&
        this.#context.calls.listCalls(origin.callSite.frames)[0]?.node === call.node,
    );
    return noted?.callSite ?? { frames: callSite.frames, argument: [] };
  }

  #locate(origin: RecordedOrigin, path: Path, at: 'key' | 'value'): Location | undefined {
    const { files, calls, modules } = this.#context;
    const { typescript } = files;
    const placed = calls.listCalls(origin.callSite.frames);
    const [call] = placed;
    if (typescript === undefined || call === undefined) return calls.listLocations(origin.callSite.frames)[0];
    const callSite = this.#traceBehindPatch(origin, call, typescript);
    const isNamed = callSite.at === 'key';
    const rest = isNamed ? [] : origin.rest;
    const [argument, ...inside] = callSite.argument;
    const follower = new ValueTracer(typescript, modules, getValueAt(this.#object.value, path));
    const found =
      argument === undefined ? undefined : follower.traceArgument(placed, Number(argument), [...inside, ...rest]);
    const isWhole = path.length === 0;
    const node = found === undefined || isWhole ? undefined : this.#locateNode(found, isNamed ? 'key' : at);
    if (node !== undefined) return node;
    if (argument === PROPERTIES && formatPointer(path) === '/metadata/name') {
      const id = follower.traceArgument(placed, ID, []);
      if (id !== undefined && this.#isOwnId(id.sourceNode.node)) return this.#locateNode(id, 'value');
    }
    return this.#locateHead(call);
  }

  /**
   * Whether an id is the name of this object. If a construct created several objects, its id is the name of none of them. A computed id may still be
   * the name of this object.
   */
  #isOwnId(node: SourceNode['node']): boolean {
    const { typescript } = this.#context.files;
    const ids = this.constructPath.split('/');
    const own = ids.at(-1) === 'Resource' ? ids.at(-2) : ids.at(-1);
    return typescript?.isStringLiteralLike(node) !== true || node.text === own;
  }

  /** The location of a traced value. Undefined when no member of the arguments provides the value. */
  #locateNode({ type, sourceNode, key }: TracedValue, at: 'key' | 'value'): Location | undefined {
    const isKey = type === 'missing' || (at === 'key' && type === 'found' && key !== undefined);
    const shown = isKey ? key : sourceNode;
    if (shown === undefined) return undefined;
    const { source, tree } = shown.file;
    return { source, range: source.range(shown.node.getStart(tree), shown.node.end) };
  }

  #locateHead(call: PlacedCall): Location | undefined {
    const { typescript } = this.#context.files;
    if (typescript === undefined) return undefined;
    const { start, end } = findCallHead(call, typescript);
    return { source: call.file.source, range: call.file.source.range(start, end) };
  }
}

function getValueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (holder, step) =>
      typeof holder === 'object' && holder !== null ? (holder as Record<string | number, unknown>)[step] : undefined,
    value,
  );
}
