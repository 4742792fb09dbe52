/** Converts an error in a program to a result with the frames of its origin, even if cdk8s wrapped the error. */
import { inspect } from 'node:util';
import type { ChildOutcome, Dependency, ThrownError } from './exchange.ts';
import { parseBundleFrames } from './frames.ts';
import { atWork, dependencyCalls } from './hooks.ts';
import { describePart, describePatchPart, getConstructFrames } from './provenance.ts';

export type Phase = Extract<ChildOutcome, { type: 'threw' }>['during'];

/** The name and message of an error that occurred while rendering. */
const RENDERING = /^Failed serializing construct at path '.*' with name '.*?': (\w+): ([\s\S]*)$/;

/** cdk8s detects cycles when it sorts objects. */
const CYCLE = /^Dependency cycle detected: (.*)$/;

/** The member with which `lintel/cdk8s` marks an error: a JSON Pointer (RFC 6901) from the root of the object to the invalid part. */
const POINTER = Symbol.for('lintel.dev/pointer');

/** The symbol that copies of `constructs` share. */
const DEPENDABLE = Symbol.for('@aws-cdk/core.DependableTrait');

interface Construct {
  readonly node: { readonly path: string };
}

export function toFailedOutcome(error: unknown, during: Phase): ChildOutcome {
  const [, path] = (error instanceof Error && CYCLE.exec(error.message)) || [];
  if (path === undefined) return { type: 'threw', thrown: describeThrown(error), during };
  const constructPaths = path.split(' => ');
  return { type: 'cycle', constructPaths, dependencies: listDependencies(constructPaths) };
}

export function describeThrown(error: unknown): ThrownError {
  const construct = atWork.construct as Construct | undefined;
  const at = construct === undefined ? {} : { constructPath: construct.node.path };
  // An error in a package has no frame in the program while cdk8s renders; the position where the construct was created is used instead.
  const around = construct === undefined ? [] : getConstructFrames(construct);
  if (!(error instanceof Error)) {
    const message = typeof error === 'string' ? error : inspect(error, { depth: 1, breakLength: Infinity });
    return { name: typeof error, message, frames: around, ...at };
  }
  const [, name = '', message = ''] = RENDERING.exec(error.message) ?? [];
  if (name !== '' && construct !== undefined) {
    // cdk8s throws a new error without the original stack.
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
  const refused = readRefused(error);
  return {
    name: error.name,
    message: error.message,
    frames: [...parseBundleFrames(error.stack), ...around],
    ...at,
    ...(part && { part }),
    ...(refused && { refused }),
  };
}

/** The operation that Node's permissions refused, or a module that was removed on purpose. */
function readRefused(error: Error): ThrownError['refused'] {
  const { code, permission, resource } = error as { code?: string; permission?: string; resource?: string };
  if (code === 'ERR_ACCESS_DENIED') return { permission: String(permission), resource: String(resource) };
  if (code !== 'ERR_UNKNOWN_BUILTIN_MODULE' || !error.message.endsWith('node:sqlite')) return undefined;
  return { permission: 'databases of node:sqlite', resource: '' };
}

/** The calls that created a cycle, in order. Objects depend on each other if their parents or children do. */
function listDependencies(circle: readonly string[]): readonly Dependency[] {
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
