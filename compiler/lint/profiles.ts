/** Profiles as data: the severity of findings, unless lintel.yaml overrides a code. */

import { findNearest } from '#shared/util';
import { CODES, type CodeEntry, type DiagnosticCode } from '../diagnostics/codes.ts';
import type { Severity } from '../diagnostics/severity.ts';

/** The severity of a finding; `off` drops the finding. */
export type SeveritySetting = Severity | 'off';

interface ProfileTable {
  /** Severities of the profile, by the finding's default severity. */
  readonly severities: { readonly [S in Severity]: SeveritySetting };
  readonly exceptions: { readonly [C in DiagnosticCode]?: SeveritySetting };
}

/** Codes that every profile makes errors. If they were errors by default, bundles that can be served would not be built. */
const CHECKED: ProfileTable['exceptions'] = Object.fromEntries(
  Object.entries(CODES).flatMap(([code, { check }]: readonly [string, CodeEntry]) =>
    check === undefined ? [] : [[code, check]],
  ),
);

const PROFILES = {
  /** Reports only certain mistakes. */
  minimal: { severities: { error: 'error', warning: 'off', hint: 'off' }, exceptions: CHECKED },
  recommended: { severities: { error: 'error', warning: 'warning', hint: 'hint' }, exceptions: CHECKED },
  /** Reports probable mistakes as well. Deprecated features still work, so they stay warnings. */
  strict: {
    severities: { error: 'error', warning: 'error', hint: 'hint' },
    exceptions: { LNT1006: 'warning', LNT1016: 'warning' },
  },
} as const satisfies { readonly [name: string]: ProfileTable };

export type ProfileName = keyof typeof PROFILES;

/** The newest version of Lintel whose codes a profile includes, by the version of the profile. */
export const PROFILE_VERSIONS = { '2026.1': '0.1.0' } as const;

export type ProfileVersion = keyof typeof PROFILE_VERSIONS;

export interface Profile {
  readonly name: ProfileName;
  readonly version: ProfileVersion;
}

const NAMES = Object.keys(PROFILES) as ProfileName[];
const VERSIONS = Object.keys(PROFILE_VERSIONS) as ProfileVersion[];
const NEWEST = VERSIONS.at(-1) as ProfileVersion;

export const DEFAULT_PROFILE: Profile = { name: 'recommended', version: NEWEST };

/** The profile in a text such as `strict@2026.1`, or the mistake in it. */
export type ParsedProfile =
  | { readonly profile: Profile; readonly isPinned: boolean }
  | { readonly problem: string; readonly near: string | undefined };

/** Parses `name` or `name@version`; the default version is the newest. */
export function parseProfile(text: string): ParsedProfile {
  const [profileName = '', version] = text.split(/@(.*)/s);
  const name = NAMES.find(value => value === profileName);
  if (name === undefined) {
    const near = findNearest(profileName, NAMES);
    return { problem: `there is no profile ${JSON.stringify(profileName)}, only ${NAMES.join(', ')}`, near };
  }
  if (version === undefined) return { profile: { name, version: NEWEST }, isPinned: false };
  const known = VERSIONS.find(value => value === version);
  if (known !== undefined) return { profile: { name, version: known }, isPinned: true };
  const problem = `this version of Lintel does not know profiles of version ${JSON.stringify(version)}, only ${VERSIONS.join(', ')}`;
  return { problem, near: `${name}@${findNearest(version, VERSIONS) ?? NEWEST}` };
}

/**
 * The severity of a finding under a profile. A code that is newer than the profile's version is at most a hint, so that an upgrade never adds an
 * unexpected error. A code with a fixed severity keeps it under every profile.
 *
 * @param severity the finding's own
 */
export function resolveSeverity(
  { name, version }: Profile,
  code: DiagnosticCode,
  severity: Severity,
  entry: Pick<CodeEntry, 'since' | 'fixed'> = CODES[code],
): SeveritySetting {
  const { severities, exceptions }: ProfileTable = PROFILES[name];
  const isFixed = entry.fixed !== undefined;
  const isDemoted = !isFixed && isNewer(entry.since, PROFILE_VERSIONS[version]);
  const setting = isDemoted ? severities.hint : (exceptions[code] ?? severities[severity]);
  return isFixed && setting === 'off' ? severity : setting;
}

/** Whether a version of Lintel, such as `0.10.0`, is later than another one. */
function isNewer(version: string, than: string): boolean {
  const before = than.split('.').map(Number);
  const difference = version
    .split('.')
    .map((part, at) => Number(part) - (before[at] ?? 0))
    .find(part => part !== 0);
  return (difference ?? 0) > 0;
}
