import { compareBuild, parse, Range } from 'semver';

/**
 * The tag with the highest version in a range; undefined when none is in it. A leading `v` is ignored. Pre-releases count only if the range
 * names one of the same version, as in npm.
 *
 * @returns `invalid` for an invalid range
 */
export function findHighestVersion(tags: Iterable<string>, range: string): string | undefined | 'invalid' {
  let parsedRange: Range;
  try {
    parsedRange = new Range(range);
  } catch {
    return 'invalid';
  }
  const fitting = [...tags].flatMap(tag => {
    const version = parse(tag);
    return version !== null && parsedRange.test(version) ? [{ tag, version }] : [];
  });
  // Equal versions such as `v1.0.0` and `1.0.0` have a fixed order, so that the result is always the same.
  fitting.sort((a, b) => compareBuild(b.version, a.version) || (a.tag < b.tag ? -1 : 1));
  return fitting[0]?.tag;
}
