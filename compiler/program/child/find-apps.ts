import { writtenApps } from './hooks.ts';

interface Node {
  readonly scope?: object;
  readonly path: string;
}

interface HasNode {
  readonly node: Node;
}

/** What is to be rendered of an app. */
export interface FoundApp {
  readonly app: object;
  /** Undefined for all of its charts. */
  readonly charts: ReadonlySet<object> | undefined;
}

const CHART = Symbol.for('cdk8s.Chart');

/**
 * The apps and charts that a program gives: by its exports, which may be functions that make them, else by the apps that it wrote.
 * Values of other types among the exports are left alone.
 */
export async function findApps(exports: Readonly<Record<string, unknown>>): Promise<readonly FoundApp[]> {
  const values: unknown[] = [];
  // The default export of a CommonJS module holds the others once more.
  for (const value of new Set(Object.values(exports))) values.push(...(await valuesOf(value, true)));
  const whole = new Set<object>(values.filter(isApp));
  const charts = new Map<object, Set<object>>();
  for (const chart of values.filter(isChart)) {
    const app = rootOf(chart);
    charts.set(app, (charts.get(app) ?? new Set()).add(chart));
  }
  const apps = [...new Set([...whole, ...charts.keys()])];
  if (apps.length === 0) return [...writtenApps].map(app => ({ app, charts: undefined }));
  return apps.map(app => ({ app, charts: whole.has(app) ? undefined : charts.get(app) }));
}

async function valuesOf(given: unknown, mayCall: boolean): Promise<readonly unknown[]> {
  if (typeof given === 'function') {
    // Classes are for others to build on, and what takes arguments is a helper.
    if (!mayCall || isClass(given) || given.length > 0) return [];
    return await valuesOf(await given(), false);
  }
  const value = await given;
  if (Array.isArray(value)) return (await Promise.all(value.map(item => valuesOf(item, mayCall)))).flat();
  return [value];
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

function rootOf(construct: object): object {
  let root = construct;
  for (let { scope } = (root as HasNode).node; scope !== undefined; scope = (root as HasNode).node.scope) root = scope;
  return root;
}
