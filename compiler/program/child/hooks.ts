/**
 * Hooks the program's own copy of cdk8s and records: which apps were synthesized, where constructs were created and dependencies added, which
 * construct an object came from, and where it was patched.
 */
import { captureStack } from './frames.ts';

type Method = (this: object, ...parameters: never[]) => unknown;

/** The parts of cdk8s that are hooked, in any version. */
interface Cdk8s {
  readonly App: { readonly prototype: { synth: Method } };
  readonly ApiObject: { readonly prototype: { addJsonPatch: Method } };
  readonly JsonPatch: { apply(document: object, ...patches: readonly object[]): object };
  readonly Lazy: { readonly prototype: { produce: Method } };
  readonly Testing: { app(props?: object): unknown };
}

interface Patch {
  _toJson?(): { readonly path: string };
}

interface Constructs {
  readonly Node: { readonly prototype: { addChild: Method; addDependency: Method } };
}

/** A call that adds dependencies to a construct. */
export interface DependencyCall {
  /** Path of the dependent construct. */
  readonly from: string;
  /** The arguments of the call: constructs, and groups of them. */
  readonly on: readonly object[];
  readonly stack: string;
}

/** Apps that the program synthesized, in order. */
export const writtenApps: Set<object> = new Set();
/** Stacks of construct creation. */
export const madeAt: WeakMap<object, string> = new WeakMap();
/** The construct that rendered an object. */
export const renderedFrom: WeakMap<object, object> = new WeakMap();
/** Stacks of calls that patched constructs, with the index of the patch argument. */
export const patchedAt: WeakMap<object, { readonly stack: string; readonly index: number }> = new WeakMap();
/** The calls in order. */
export const dependencyCalls: DependencyCall[] = [];
/** The construct that is being validated or rendered, its patch that is being applied, and the original error of either, which cdk8s wraps. */
export const atWork: { construct?: object; thrown?: unknown; patch?: object } = {};

/** @param cdk8s and `constructs`: the module namespaces that the program imports */
export function hook(cdk8s: Cdk8s, constructs: Constructs): void {
  const { addChild } = constructs.Node.prototype;
  constructs.Node.prototype.addChild = function (this: object, ...parameters) {
    const [child] = parameters as unknown as [object];
    madeAt.set(child, captureStack());
    // Before the object's constructor has returned, `instanceof` does not recognize an ApiObject.
    if (Object.prototype.isPrototypeOf.call(cdk8s.ApiObject.prototype, child)) hookObject(child);
    return addChild.apply(this, parameters);
  };
  const { addDependency } = constructs.Node.prototype;
  constructs.Node.prototype.addDependency = function (this: object, ...on) {
    const { path: from } = this as { readonly path: string };
    dependencyCalls.push({ from, on, stack: captureStack() });
    return addDependency.apply(this, on);
  };
  const { produce } = cdk8s.Lazy.prototype;
  cdk8s.Lazy.prototype.produce = function (this: object) {
    try {
      return produce.call(this);
    } catch (error) {
      // For nested values, the inner error is recorded first.
      atWork.thrown ??= error;
      throw error;
    }
  };
  const { addJsonPatch } = cdk8s.ApiObject.prototype;
  cdk8s.ApiObject.prototype.addJsonPatch = function (this: object, ...patches) {
    const stack = captureStack();
    for (const [index, patch] of patches.entries()) patchedAt.set(patch as object, { stack, index });
    return addJsonPatch.apply(this, patches);
  };
  const { apply } = cdk8s.JsonPatch;
  cdk8s.JsonPatch.apply = function (this: object, document, ...patches) {
    return patches.reduce((patched, patch) => {
      try {
        return apply.call(this, patched, patch);
      } catch (error) {
        const missing = findMissingAbove(patched, patch);
        const thrown = missing === undefined ? error : new Error(`${missing} is not there`);
        Object.assign(atWork, { thrown, patch });
        throw thrown;
      }
    }, document);
  };
  cdk8s.App.prototype.synth = function (this: object) {
    writtenApps.add(this);
  };
  // The original function creates a folder for output, which would stay empty because nothing is written.
  const { App } = cdk8s as unknown as { App: new (props?: object) => object };
  cdk8s.Testing.app = (props = {}) => new App({ outdir: 'dist', ...props });
}

/** The first missing parent of a patch's path: cdk8s only reports a JavaScript error for it. */
function findMissingAbove(object: object, patch: Patch): string | undefined {
  const { path } = patch._toJson?.() ?? {};
  const steps = path?.split('/').slice(1, -1) ?? [];
  let value: unknown = object;
  for (const [index, step] of steps.entries()) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (value === undefined) return `/${steps.slice(0, index + 1).join('/')}`;
  }
  return undefined;
}

/** Replaces the method of the object itself, because generated classes override rendering and return another object than `ApiObject`. */
function hookObject(object: object): void {
  const { toJson } = object as { toJson(): object };
  const value = () => {
    const { construct: around } = atWork;
    atWork.construct = object;
    delete atWork.thrown;
    delete atWork.patch;
    const json = toJson.call(object);
    if (around === undefined) delete atWork.construct;
    else atWork.construct = around;
    renderedFrom.set(json, object);
    return json;
  };
  Object.defineProperty(object, 'toJson', { value, configurable: true, writable: true });
}
