import { compareText } from '../compare-text.ts';

const SEMANTIC =
  /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

interface SemanticVersion {
  /** Major, minor and patch, in digits without leading zeros. */
  readonly core: readonly string[];
  /** The identifiers after the hyphen; empty for a release. */
  readonly preRelease: readonly string[];
}

/**
 * Orders versions ascending: semantic versions by precedence (a leading `v` is ignored), any other text before all semantic ones. Versions of
 * equal precedence are ordered as text. So it is a total order in which different texts are never equal.
 *
 * @see https://semver.org/spec/v2.0.0.html#spec-item-11
 */
export function compareVersions(a: string, b: string): number {
  const one = parse(a);
  const other = parse(b);
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined) || compareText(a, b);
  return comparePrecedence(one, other) || compareText(a, b);
}

function parse(version: string): SemanticVersion | undefined {
  const match = SEMANTIC.exec(version);
  if (match === null) return undefined;
  const [, major = '', minor = '', patch = '', preRelease] = match;
  return { core: [major, minor, patch], preRelease: preRelease?.split('.') ?? [] };
}

function comparePrecedence(a: SemanticVersion, b: SemanticVersion): number {
  for (const [index, part] of a.core.entries()) {
    const order = compareDigits(part, b.core[index] ?? '');
    if (order !== 0) return order;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return Number(a.preRelease.length === 0) - Number(b.preRelease.length === 0);
  for (const [index, identifier] of a.preRelease.entries()) {
    const order = compareIdentifiers(identifier, b.preRelease[index]);
    if (order !== 0) return order;
  }
  return a.preRelease.length - b.preRelease.length;
}

/** @param b undefined when the other version has no more identifiers: fewer come first */
function compareIdentifiers(a: string, b: string | undefined): number {
  if (b === undefined) return 1;
  const isNumber = /^\d+$/.test(a);
  const isOtherNumber = /^\d+$/.test(b);
  if (isNumber && isOtherNumber) return compareDigits(a, b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return compareText(a, b);
}

/** Compares numbers of any length without leading zeros. */
function compareDigits(a: string, b: string): number {
  return a.length - b.length || compareText(a, b);
}
