import { untilIdle } from './detect-idle.ts';
import { writtenApps } from './hooks.ts';

interface Node {
  readonly scope?: object;
  readonly path: string;
}

interface HasNode {
  readonly node: Node;
}

type Maker = () => unknown;

/** What is to be rendered of an app. */
export interface FoundApp {
  readonly app: object;
  /** Undefined for all of its charts. */
  readonly charts: ReadonlySet<object> | undefined;
}

const CHART = Symbol.for('cdk8s.Chart');

/**
 * The apps and charts that a program gives: those that it exports, else those that it wrote, else those that its exported functions
 * make. Functions of a program that gives something by itself are helpers, for its tests or for other programs, and are left alone.
 */
export async function findApps(exports: Readonly<Record<string, unknown>>): Promise<readonly FoundApp[]> {
  const values = await toValues(Object.values(exports));
  const exported = appsIn(values);
  if (exported.length > 0) return exported;
  if (writtenApps.size > 0) return written();
  const makers = makersIn(await toValues(exports.default));
  const made: unknown[] = [];
  // The default export of a CommonJS module holds the others once more.
  for (const make of new Set(makers.length > 0 ? makers : makersIn(values))) made.push(...(await toValues(make())));
  await untilIdle();
  const given = appsIn(made);
  return given.length > 0 ? given : written();
}

function written(): readonly FoundApp[] {
  return [...writtenApps].map(app => ({ app, charts: undefined }));
}

function appsIn(values: readonly unknown[]): readonly FoundApp[] {
  const whole = new Set<object>(values.filter(isApp));
  const charts = new Map<object, Set<object>>();
  for (const chart of values.filter(isChart)) {
    const app = findRoot(chart);
    charts.set(app, (charts.get(app) ?? new Set()).add(chart));
  }
  const apps = [...new Set([...whole, ...charts.keys()])];
  return apps.map(app => ({ app, charts: whole.has(app) ? undefined : charts.get(app) }));
}

/** A value, what it is a promise of, or what it is a list of. */
async function toValues(given: unknown): Promise<readonly unknown[]> {
  const value = await given;
  if (!Array.isArray(value)) return [value];
  return (await Promise.all(value.map(toValues))).flat();
}

/** Classes are for others to build on, and what takes arguments is a helper. */
function makersIn(values: readonly unknown[]): readonly Maker[] {
  return values.filter((value): value is Maker => typeof value === 'function' && !isClass(value) && value.length === 0);
}

function isClass(value: object): boolean {
  const prototype = Object.getOwnPropertyDescriptor(value, 'prototype');
  return prototype !== undefined && prototype.writable === false;
}

/** By what it has, not by its class: of another copy of cdk8s it is one as well. */
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

/** The names of what is exported, where that is no app; and those of functions with parameters, which are not called. */
export function uselessExports(exports: Readonly<Record<string, unknown>>) {
  // An empty file is a CommonJS module, whose default export is what it exports: nothing.
  const own = Object.entries(exports).filter(([name, value]) => name !== 'default' || !isEmpty(value));
  const uncalled = own.filter(([, value]) => typeof value === 'function' && !isClass(value) && value.length > 0);
  return { exports: own.map(([name]) => name), uncalled: uncalled.map(([name]) => name) };
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}
