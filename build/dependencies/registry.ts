/** Data that only the registry has, as of the date in `recorded.json`; `npm run dependencies:record` updates it. */
import { readFileSync } from 'node:fs';

export interface Release {
  readonly version: string;
  /** The date as year, month and day. */
  readonly date: string;
}

export interface RegistryRecord {
  /** The date as year, month and day. */
  readonly askedOn: string;
  /** Open security reports on the packages of the lockfile; null when the registry does not support `npm audit`. */
  readonly openReports: number | null;
  /** The releases of each direct dependency. */
  readonly packages: Readonly<Record<string, { readonly pinned: Release; readonly newest: Release } | undefined>>;
}

export const RECORDED = 'build/dependencies/recorded.json';

export function readRecorded(): RegistryRecord {
  return JSON.parse(readFileSync(RECORDED, 'utf8'));
}
