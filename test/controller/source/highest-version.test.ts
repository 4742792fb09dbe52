/** Which tag a version range selects. */
import { expect, test } from 'vitest';
import { findHighestVersion } from '../../../controller/source/highest-version.ts';

test.each<[tags: string[], range: string, tag: string | undefined]>([
  [['v1.2.0', 'v1.10.0', 'v1.9.9'], '*', 'v1.10.0'],
  [['1.2.0', 'v1.1.0'], '^1.0.0', '1.2.0'],
  [['v1.2.0', 'v2.0.0'], '1.x', 'v1.2.0'],
  [['v1.2.0', 'v2.0.0'], '>=1.0.0 <2.0.0', 'v1.2.0'],
  [['v1.2.0', 'v1.3.0-rc.1'], '>=1.0.0', 'v1.2.0'],
  [['v1.2.0', 'v1.3.0-rc.1'], '>=1.3.0-0', 'v1.3.0-rc.1'],
  [['v1.3.0', 'v1.3.0-rc.1'], '>=1.3.0-0', 'v1.3.0'],
  [['1.0.0', 'v1.0.0'], '1.0.0', '1.0.0'],
  [['v1.0.0', '1.0.0'], '1.0.0', '1.0.0'],
  [['v1.0.0+a', 'v1.0.0+b'], '1.0.0', 'v1.0.0+b'],
  [['v1', 'v1.0', 'latest', 'release-1.0.0', 'V1.0.0', 'v1.0.0.0', 'gateways/v1.0.0'], '*', undefined],
  [[], '*', undefined],
  [['v1.0.0'], '', 'v1.0.0'],
  [['v1.0.0'], 'newest', 'invalid'],
  [['v1.0.0'], '>>1', 'invalid'],
])('of the tags %j, the controller selects for the version range %j the tag: %s', (tags, range, tag) =>
  expect(findHighestVersion(tags, range)).toBe(tag),
);
