/**
 * Lets rules read objects that have errors. A value is doubtful if correcting an error may change it. A result that was computed without reading
 * a doubtful value is the same for every correction, so it may be reported; any other result is dropped.
 */
import { setOwnMember } from '../source/own-member.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';
import type { Resource } from './resource.ts';

let isTouched = false;

/** Records that a doubtful value was read. */
export function touchDoubt(): void {
  isTouched = true;
}

/**
 * The result of a computation, or undefined when it read a doubtful value. A doubtful value may have any form, so an exception is rethrown only
 * if nothing doubtful was read. Calls may be nested and are tracked separately.
 */
export function withoutDoubt<T>(run: () => T): { readonly result: T } | undefined {
  const before = isTouched;
  isTouched = false;
  try {
    const result = run();
    return isTouched ? undefined : { result };
  } catch (error) {
    if (!isTouched) throw error;
    return undefined;
  } finally {
    isTouched = before;
  }
}

/** The proxies of objects with errors, with the names of their doubtful members. */
const VIEWS = new WeakMap<object, ReadonlySet<string>>();

/** Whether some part of this value is doubtful. A result computed from it must not be cached: a later reader would not record the doubt. */
export function isInDoubt(value: object): boolean {
  return VIEWS.has(value);
}

/** The members of a mapping, or the items of a list, that are not doubtful. */
export function listCertainEntries(value: object): [name: string, member: unknown][] {
  const doubtful = VIEWS.get(value);
  if (doubtful === undefined || doubtful.size === 0) return Object.entries(value);
  // Reading names alone decides nothing, so it does not count as reading a doubtful value.
  const names = withoutTouch(() => Object.keys(value)).filter(name => !doubtful.has(name));
  return names.map(name => [name, Reflect.get(value, name)]);
}

function withoutTouch<T>(run: () => T): T {
  const before = isTouched;
  try {
    return run();
  } finally {
    isTouched = before;
  }
}

/**
 * The proxy through which rules read an object with errors.
 *
 * @param doubtful paths from the root of the object; none of them is `spec` itself
 */
export function markResourceInDoubt(resource: Resource, doubtful: readonly Path[]): Resource {
  const steps = buildTree(doubtful);
  const { doc } = resource.document;
  const shown: SourceDocument = {
    file: doc.file,
    index: doc.index,
    source: doc.source,
    value: createView(doc.value, steps),
    get caveats() {
      return doc.caveats;
    },
    get program() {
      return doc.program;
    },
    locate: (path, at) => doc.locate(path, at),
  };
  const inSpec = steps.get('spec') || new Map();
  return {
    ...resource,
    document: { ...resource.document, doc: shown },
    spec: createView(resource.spec, inSpec) as object,
    authored: createView(resource.authored, inSpec),
  };
}

/** The doubtful parts by name of the member; `DOUBTFUL` for a member that is doubtful as a whole. */
type DoubtTree = Map<string, DoubtTree | typeof DOUBTFUL>;
const DOUBTFUL = false;

function buildTree(paths: readonly Path[]): DoubtTree {
  const root: DoubtTree = new Map();
  for (const path of paths) {
    let steps: DoubtTree | typeof DOUBTFUL = root;
    for (const [index, step] of path.entries()) {
      if (steps === DOUBTFUL) break;
      const key = String(step);
      const known: DoubtTree | typeof DOUBTFUL | undefined = steps.get(key);
      const next: DoubtTree | typeof DOUBTFUL = index === path.length - 1 ? DOUBTFUL : (known ?? new Map());
      steps.set(key, next);
      steps = next;
    }
  }
  return root;
}

function createView(value: unknown, steps: DoubtTree): unknown {
  if (typeof value !== 'object' || value === null || steps.size === 0) return value;
  // A copy, because a proxy must show the members of a frozen target unchanged.
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const doubtful = new Set<string>();
  for (const [step, below] of steps) {
    const member = Object.hasOwn(copy, step) ? copy[step] : undefined;
    // A doubtful part below a missing member makes that member doubtful.
    if (below === DOUBTFUL || typeof member !== 'object' || member === null) doubtful.add(step);
    else setOwnMember(copy, step, createView(member, below));
  }
  const view = doubtful.size === 0 ? copy : guardDoubtful(copy, doubtful);
  VIEWS.set(view, doubtful);
  return view;
}

/** The presence of a doubtful member is as doubtful as its value. */
function guardDoubtful(target: object, doubtful: ReadonlySet<string>): object {
  const noteRead = (key: string | symbol): void => {
    if (typeof key === 'string' && doubtful.has(key)) touchDoubt();
  };
  return new Proxy(target, {
    get(of, key) {
      noteRead(key);
      return Reflect.get(of, key);
    },
    has(of, key) {
      noteRead(key);
      return Reflect.has(of, key);
    },
    getOwnPropertyDescriptor(of, key) {
      noteRead(key);
      return Reflect.getOwnPropertyDescriptor(of, key);
    },
    ownKeys(of) {
      touchDoubt();
      return Reflect.ownKeys(of);
    },
  });
}
