/** What is thrown in a program as an outcome: with the frames that lead to its place, whatever cdk8s made of the error. */
import { inspect } from 'node:util';
import type { Dependency, Outcome, ThrownError } from './exchange.ts';
import { parseBundleFrames } from './frames.ts';
import { atWork, dependencyCalls } from './hooks.ts';
import { describePart, describePatchPart, framesMade } from './provenance.ts';

export type Phase = Extract<Outcome, { type: 'threw' }>['during'];

/** The name and the message of what was thrown while an object was rendered. */
const RENDERING = /^Failed serializing construct at path '.*' with name '.*?': (\w+): ([\s\S]*)$/;

/** cdk8s looks for circles when it puts objects in order. */
const CYCLE = /^Dependency cycle detected: (.*)$/;

/** What `lintel/cdk8s` says an error is about: RFC 6901, from the root of the object. */
const POINTER = Symbol.for('lintel.dev/pointer');

/** Shared between copies of `constructs`, as there. */
const DEPENDABLE = Symbol.for('@aws-cdk/core.DependableTrait');

interface Construct {
  readonly node: { readonly path: string };
}

export function toFailedOutcome(error: unknown, during: Phase): Outcome {
  const [, path] = (error instanceof Error && CYCLE.exec(error.message)) || [];
  if (path === undefined) return { type: 'threw', thrown: describeThrown(error), during };
  const constructPaths = path.split(' => ');
  return { type: 'cycle', constructPaths, dependencies: dependenciesAlong(constructPaths) };
}

export function describeThrown(error: unknown): ThrownError {
  const construct = atWork.construct as Construct | undefined;
  const at = construct === undefined ? {} : { constructPath: construct.node.path };
  // What a package throws has no frame of the program where cdk8s renders; where the construct was made is the next best place.
  const around = construct === undefined ? [] : framesMade(construct);
  if (!(error instanceof Error)) {
    const message = typeof error === 'string' ? error : inspect(error, { depth: 1, breakLength: Infinity });
    return { name: typeof error, message, frames: around, ...at };
  }
  const [, name = '', message = ''] = RENDERING.exec(error.message) ?? [];
  if (name !== '' && construct !== undefined) {
    // cdk8s says again what was thrown, without where.
    const { thrown, patch } = atWork;
    const isSame = thrown instanceof Error && String(thrown) === `${name}: ${message}`;
    const part = isSame && patch !== undefined ? describePatchPart(construct, patch) : undefined;
    return {
      name,
      message,
      frames: [...(isSame ? parseBundleFrames(thrown.stack) : []), ...around],
      ...at,
      ...(part && { part }),
    };
  }
  const { [POINTER]: pointer } = error as { [POINTER]?: string };
  const part = construct !== undefined && pointer !== undefined ? describePart(construct, pointer, 'key') : undefined;
  const refused = refusedIn(error);
  return {
    name: error.name,
    message: error.message,
    frames: [...parseBundleFrames(error.stack), ...around],
    ...at,
    ...(part && { part }),
    ...(refused && { refused }),
  };
}

/** What Node refuses by its permissions, and what is not there on purpose. */
function refusedIn(error: Error): ThrownError['refused'] {
  const { code, permission, resource } = error as { code?: string; permission?: string; resource?: string };
  if (code === 'ERR_ACCESS_DENIED') return { permission: String(permission), resource: String(resource) };
  if (code !== 'ERR_UNKNOWN_BUILTIN_MODULE' || !error.message.endsWith('node:sqlite')) return undefined;
  return { permission: 'databases of node:sqlite', resource: '' };
}

/** The calls that brought a circle about, in their order. Objects depend on each other where what they are in, or what is in them, does. */
function dependenciesAlong(circle: readonly string[]): readonly Dependency[] {
  const steps = circle.slice(0, -1).map((from, index) => ({ from, on: circle[index + 1] ?? '' }));
  return dependencyCalls.flatMap(({ from, on, stack }) => {
    const targets = on.flatMap(listPaths);
    return steps
      .filter(step => isAround(from, step.from) && targets.some(target => isAround(target, step.on)))
      .map(step => ({ ...step, frames: parseBundleFrames(stack) }));
  });
}

function listPaths(dependable: object): readonly string[] {
  const trait = (dependable as { [DEPENDABLE]?: { readonly dependencyRoots: readonly Construct[] } })[DEPENDABLE];
  const roots = trait?.dependencyRoots ?? [dependable as Construct];
  return roots.map(({ node }) => node.path);
}

function isAround(one: string, other: string): boolean {
  return [one, other].includes('') || `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}
