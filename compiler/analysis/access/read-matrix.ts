import { isObject } from '#schemas';
import { CELLS, ITEM_TYPES, MATRIX_FORMAT_VERSION, type Matrix, type MatrixItem, type ServerMatrix } from './matrix.ts';

/** The matrix in a file that `--format json` wrote; undefined for anything else. */
export function readMatrix(value: unknown): Matrix | undefined {
  if (!isObject(value) || value.formatVersion !== MATRIX_FORMAT_VERSION) return undefined;
  const { personas, gateways, registries = [] } = value;
  if (!isListOf(personas, isText) || !isListOf(gateways, isServer) || !isListOf(registries, isServer)) return undefined;
  return { formatVersion: MATRIX_FORMAT_VERSION, personas, gateways, registries };
}

function isServer(value: unknown): value is ServerMatrix {
  return (
    isObject(value) &&
    isText(value.namespace) &&
    isText(value.name) &&
    typeof value.complete === 'boolean' &&
    isListOf(value.items, isItem)
  );
}

function isItem(value: unknown): value is MatrixItem {
  return (
    isObject(value) &&
    ITEM_TYPES.some(type => type === value.type) &&
    isText(value.name) &&
    isObject(value.access) &&
    Object.values(value.access).every(cell => CELLS.some(known => known === cell)) &&
    (value.hidden === undefined || value.hidden === true) &&
    (value.origin === undefined || isOrigin(value.origin)) &&
    (value.through === undefined || isThrough(value.through))
  );
}

function isOrigin(value: unknown): boolean {
  return isObject(value) && isText(value.backend) && isText(value.name);
}

function isThrough(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(workflows => isListOf(workflows, isText));
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
