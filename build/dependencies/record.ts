/** `npm run dependencies:record`: queries the registry for the releases of each direct dependency, and for open security reports. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { directDependencies } from './direct.ts';
import { RECORDED, type RegistryRecord, type Release } from './registry.ts';

interface View {
  readonly 'dist-tags': { readonly latest: string };
  readonly time: Readonly<Record<string, string>>;
}

function fetchView(name: string): View {
  return JSON.parse(execFileSync('npm', ['view', name, 'dist-tags', 'time', '--json'], { encoding: 'utf8' }));
}

function openReports(): number | null {
  // `npm audit` exits with 1 when there are reports, so the exit code is ignored.
  const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
  return JSON.parse(stdout).metadata?.vulnerabilities.total ?? null;
}

const packages = directDependencies().map(({ name, version }) => {
  const { time, 'dist-tags': tags } = fetchView(name);
  const release = (of: string): Release => ({ version: of, date: (time[of] as string).slice(0, 10) });
  return [name, { pinned: release(version), newest: release(tags.latest) }] as const;
});
const recorded: RegistryRecord = {
  askedOn: new Date().toISOString().slice(0, 10),
  openReports: openReports(),
  packages: Object.fromEntries(packages),
};
writeFileSync(RECORDED, `${JSON.stringify(recorded, null, 2)}\n`);
