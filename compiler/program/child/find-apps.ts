import { waitUntilIdle } from './detect-idle.ts';
import { writtenApps } from './hooks.ts';

interface Node {
  readonly scope?: object;
  readonly path: string;
}

interface HasNode {
  readonly node: Node;
}

type Maker = () => unknown;

/** The parts of an app to render. */
export interface FoundApp {
  readonly app: object;
  /** The charts to render; undefined for all charts of the app. */
  readonly charts: ReadonlySet<object> | undefined;
}

const CHART = Symbol.for('cdk8s.Chart');

/**
 * The apps and charts of a program: those that it exports, otherwise those that it synthesized, otherwise those that its exported functions
 * create. If the program provides some by itself, its functions are helpers for tests or other programs and are not called.
 */
export async function findApps(exports: Readonly<Record<string, unknown>>): Promise<readonly FoundApp[]> {
  const values = await toValues(Object.values(exports));
  const exported = listApps(values);
  if (exported.length > 0) return exported;
  if (writtenApps.size > 0) return listWrittenApps();
  const makers = listMakers(await toValues(exports.default));
  const made: unknown[] = [];
  // The default export of a CommonJS module contains its other exports, which must not count twice.
  for (const make of new Set(makers.length > 0 ? makers : listMakers(values))) made.push(...(await toValues(make())));
  await waitUntilIdle();
  const exportedApps = listApps(made);
  return exportedApps.length > 0 ? exportedApps : listWrittenApps();
}

function listWrittenApps(): readonly FoundApp[] {
  return [...writtenApps].map(app => ({ app, charts: undefined }));
}

function listApps(values: readonly unknown[]): readonly FoundApp[] {
  const whole = new Set<object>(values.filter(isApp));
  const charts = new Map<object, Set<object>>();
  for (const chart of values.filter(isChart)) {
    const app = findRoot(chart);
    charts.set(app, (charts.get(app) ?? new Set()).add(chart));
  }
  const apps = [...new Set([...whole, ...charts.keys()])];
  return apps.map(app => ({ app, charts: whole.has(app) ? undefined : charts.get(app) }));
}

/** Unwraps promises and lists. */
async function toValues(exportedApps: unknown): Promise<readonly unknown[]> {
  const value = await exportedApps;
  if (!Array.isArray(value)) return [value];
  return (await Promise.all(value.map(toValues))).flat();
}

/** The functions that may create apps. Classes are meant to be extended, and functions with parameters are helpers. */
function listMakers(values: readonly unknown[]): readonly Maker[] {
  return values.filter((value): value is Maker => typeof value === 'function' && !isClass(value) && value.length === 0);
}

function isClass(value: object): boolean {
  const prototype = Object.getOwnPropertyDescriptor(value, 'prototype');
  return prototype !== undefined && prototype.writable === false;
}

/** Whether a value is an app. This is checked by structure, because the class may come from another copy of cdk8s. */
function isApp(value: unknown): value is object & HasNode {
  return (
    isObject(value) &&
    'node' in value &&
    typeof (value as { synthYaml?: unknown }).synthYaml === 'function' &&
    (value as HasNode).node.scope === undefined
  );
}

function isChart(value: unknown): value is object & HasNode {
  return isObject(value) && CHART in value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function findRoot(construct: object): object {
  let root = construct;
  for (let { scope } = (root as HasNode).node; scope !== undefined; scope = (root as HasNode).node.scope) root = scope;
  return root;
}

/** Names of exports that are not apps, and of functions with parameters, which are not called. */
export function listUselessExports(exports: Readonly<Record<string, unknown>>) {
  // An empty file is a CommonJS module, whose default export is its empty exports object.
  const own = Object.entries(exports).filter(([name, value]) => name !== 'default' || !isEmpty(value));
  const uncalled = own.filter(([, value]) => typeof value === 'function' && !isClass(value) && value.length > 0);
  return { exports: own.map(([name]) => name), uncalled: uncalled.map(([name]) => name) };
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}
