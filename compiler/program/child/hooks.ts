/**
 * Holds on to what cdk8s does in the program's own copy of it: which apps ask to be written, where constructs were made, which construct
 * an object came from and where patches were laid over it.
 */
import { stackHere } from './frames.ts';

type Method = (this: object, ...parameters: never[]) => unknown;

/** As much of cdk8s as is hooked; whatever its version. */
interface Cdk8s {
  readonly App: { readonly prototype: { synth: Method } };
  readonly ApiObject: { readonly prototype: { addJsonPatch: Method } };
  readonly Testing: { app(props?: object): unknown };
}

interface Constructs {
  readonly Node: { readonly prototype: { addChild: Method } };
}

/** Apps that the program wrote, or would have, in their order. */
export const writtenApps: Set<object> = new Set();
/** Stacks of where constructs were made. */
export const madeAt: WeakMap<object, string> = new WeakMap();
/** The construct that an object was rendered from. */
export const renderedFrom: WeakMap<object, object> = new WeakMap();
/** Stacks of where patches were laid over constructs. */
export const patchedAt: WeakMap<object, string> = new WeakMap();
/** The construct that is being rendered, for what is thrown meanwhile. */
export const atWork: { construct?: object } = {};

/** @param cdk8s and `constructs` are the module namespaces that the program imports */
export function hook(cdk8s: Cdk8s, constructs: Constructs): void {
  const { addChild } = constructs.Node.prototype;
  constructs.Node.prototype.addChild = function (this: object, ...parameters) {
    const [child] = parameters as unknown as [object];
    madeAt.set(child, stackHere());
    // `instanceof` knows it only once its constructor is done.
    if (Object.prototype.isPrototypeOf.call(cdk8s.ApiObject.prototype, child)) hookObject(child);
    return addChild.apply(this, parameters);
  };
  const { addJsonPatch } = cdk8s.ApiObject.prototype;
  cdk8s.ApiObject.prototype.addJsonPatch = function (this: object, ...patches) {
    const stack = stackHere();
    for (const patch of patches) patchedAt.set(patch as object, stack);
    return addJsonPatch.apply(this, patches);
  };
  cdk8s.App.prototype.synth = function (this: object) {
    writtenApps.add(this);
  };
  // Its own makes a folder for what is never written.
  const { App } = cdk8s as unknown as { App: new (props?: object) => object };
  cdk8s.Testing.app = (props = {}) => new App({ outdir: 'dist', ...props });
}

/** On the object itself: generated classes render in a way of their own, and give another object than the one of `ApiObject`. */
function hookObject(object: object): void {
  const { toJson } = object as { toJson(): object };
  const value = () => {
    atWork.construct = object;
    const json = toJson.call(object);
    delete atWork.construct;
    renderedFrom.set(json, object);
    return json;
  };
  Object.defineProperty(object, 'toJson', { value, configurable: true, writable: true });
}
