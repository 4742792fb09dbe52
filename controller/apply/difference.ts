/** Describes the difference between two states of an object for people. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** Maximum number of lines per object. */
const MAX_LINES = 20;

/** Maximum length of a value. */
const MAX_VALUE = 60;

/** Fields that the server or writers of status set: never a difference. */
const SERVER_METADATA: readonly string[] = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

interface ComparedObject {
  readonly [name: string]: unknown;
}

/** An object without server-managed fields. */
export function withoutNoise(object: KubeObject): ComparedObject {
  const { status: _, ...rest } = object;
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !SERVER_METADATA.includes(name)),
  );
  return { ...rest, metadata };
}

/**
 * One line for each path that differs, such as `spec.template.spec.containers[name=vmcp].image: "a" -> "b"`. Values of Secrets are omitted.
 *
 * @param before the current state
 * @param after the new state
 * @param isLeftOut whether an annotation is ignored
 */
export function listDifferences(before: KubeObject, after: KubeObject, isLeftOut: (name: string) => boolean): string[] {
  const lines: string[] = [];
  const print = before.kind === 'Secret' ? hideValue : printValue;
  const differ = (path: string, a: unknown, b: unknown): void => {
    if (isDeepStrictEqual(a, b)) return;
    const key = findItemKey(a, b);
    if (isObject(a) && isObject(b)) differInMembers(path, a, b);
    else if (key !== undefined) differInItems(path, key, a as ComparedObject[], b as ComparedObject[]);
    else lines.push(`${path}: ${print(a)} -> ${print(b)}`);
  };
  const differInMembers = (path: string, a: ComparedObject, b: ComparedObject): void => {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (path === 'metadata.annotations' && isLeftOut(name)) continue;
      differ(joinPath(path, name), a[name], b[name]);
    }
  };
  const differInItems = (
    path: string,
    key: string,
    a: readonly ComparedObject[],
    b: readonly ComparedObject[],
  ): void => {
    const count = lines.length;
    for (const name of new Set([...a, ...b].map(item => item[key]))) {
      const isNamed = (item: ComparedObject): boolean => item[key] === name;
      differ(`${path}[${key}=${name}]`, a.find(isNamed), b.find(isNamed));
    }
    if (lines.length === count) lines.push(`${path}: in another order`);
  };
  differ('', withoutNoise(before), withoutNoise(after));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `(+${lines.length - MAX_LINES} more)`];
}

/** Whether two states are equal except for server-managed fields. */
export function isSame(a: KubeObject, b: KubeObject): boolean {
  return isDeepStrictEqual(withoutNoise(a), withoutNoise(b));
}

/** Members that identify list items: the usual ones of Kubernetes first, then those of Lintel's kinds. */
const ITEM_KEYS: readonly string[] = [
  'name',
  'type',
  'mountPath',
  'containerPort',
  'port',
  'key',
  'ip',
  'id',
  'workload',
];

function findItemKey(a: unknown, b: unknown): string | undefined {
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined;
  return ITEM_KEYS.find(key => isKey(key, a) && isKey(key, b) && a.length + b.length > 0);
}

function isKey(key: string, items: readonly unknown[]): boolean {
  const names = items.map(item => (isObject(item) ? item[key] : undefined));
  return names.every(isScalar) && new Set(names).size === names.length;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function joinPath(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function printValue(value: unknown): string {
  if (value === undefined) return '(none)';
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}… (${text.length} characters)`;
}

function hideValue(value: unknown): string {
  return value === undefined ? '(none)' : '(secret)';
}
