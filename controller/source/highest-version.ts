import { compareBuild, parse, Range } from 'semver';

/**
 * The tag with the highest version in a range; undefined when none is in it. A `v` before the version is part of the name only.
 * Pre-releases count where the range names one of the same version, as npm has it.
 *
 * @returns `invalid` for a range that is none
 */
export function highestVersion(tags: Iterable<string>, range: string): string | undefined | 'invalid' {
  let wanted: Range;
  try {
    wanted = new Range(range);
  } catch {
    return 'invalid';
  }
  const fitting = [...tags].flatMap(tag => {
    const version = parse(tag);
    return version !== null && wanted.test(version) ? [{ tag, version }] : [];
  });
  // The same version twice, as `v1.0.0` and `1.0.0`: always the same of them.
  fitting.sort((a, b) => compareBuild(b.version, a.version) || (a.tag < b.tag ? -1 : 1));
  return fitting[0]?.tag;
}
