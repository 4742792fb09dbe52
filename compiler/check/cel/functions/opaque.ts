import { type CelMap, type CelMapType, CelScalar, mapType } from '@bufbuild/cel';

/** The evaluator has no opaque types, so such a value is a map with one entry under a key that no field can have. */
export const OPAQUE: CelMapType<typeof CelScalar.STRING, typeof CelScalar.DYN> = mapType(
  CelScalar.STRING,
  CelScalar.DYN,
);

/** Wraps the content of an opaque value. */
export function createOpaque(type: string, content: string | bigint): Map<string, string | bigint> {
  return new Map([[` ${type}`, content]]);
}

/** @throws when the value is not of that type */
export function readOpaque(type: string, value: CelMap): string | bigint {
  const content = value.get(` ${type}`);
  if (typeof content !== 'string' && typeof content !== 'bigint') throw new Error(`the value is no ${type}`);
  return content;
}
