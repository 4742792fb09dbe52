/** `npm run release`: writes all parts of a release into one folder. Nothing is published. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OptionError, parseOptions } from '#shared/util';
import { readReleaseNotes } from './changelog.ts';
import { PARTS, type ReleasePart } from './parts.ts';
import { findProblems, listChangedFiles } from './problems.ts';
import { OWN_BUILDER } from './provenance.ts';
import { makeRelease } from './release.ts';
import { readVersion } from './versions.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const USAGE = `Usage: npm run release [-- OPTIONS]

Checks that nothing differs from the commit and that all files name one version, builds, and writes into
release/lintel-VERSION/ what a release consists of, with a bill of materials (CycloneDX), the notes out of CHANGELOG.md,
where all of it comes from (SLSA provenance, as a statement of in-toto) and SHA256SUMS. The same commit gives the same
checksums. Nothing is published.

  --dry-run         what happens anyway
  --publish         refused: says what is missing
  --only PARTS      these parts, separated by commas; default: all that this machine can make
${PARTS.map(({ name, what }) => `                      ${name.padEnd(13)}${what}`).join('\n')}
  --debian          make the bases of images of Debian's packages (npm run images -- --help)
  --out FOLDER      another folder, which is emptied first
  --builder-id URI  who builds, for the provenance; default ${OWN_BUILDER}
  --allow-changes   although files differ from the commit; the provenance says so
  --no-build        take dist/ as it is
  --help            print this text

Exit codes: 0 written, 1 not as a release has to be, 2 bad options or something is missing here.
`;

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  publish: { type: 'boolean' },
  only: { type: 'string' },
  debian: { type: 'boolean' },
  out: { type: 'string' },
  'builder-id': { type: 'string' },
  'allow-changes': { type: 'boolean' },
  'no-build': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const NOT_PUBLISHED =
  'nothing can be published: releases are not signed yet (docs/release.md), and no registry of packages, charts or images is named as the place for them. Without --publish all files are written';

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, OPTIONS);
  if (options.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options.publish === true) throw new OptionError(NOT_PUBLISHED);
  const { debian: isOnDebian = false, 'builder-id': builder = OWN_BUILDER } = options;
  if (!URL.canParse(builder)) throw new OptionError(`--builder-id ${builder} is no URI`);
  const parts = chooseParts(options.only, isOnDebian);
  const version = readVersion(ROOT);
  const problems = findProblems(ROOT, options['allow-changes'] === true);
  if (problems.length > 0) {
    process.stderr.write(problems.map(text => `npm run release: ${text}\n`).join(''));
    return 1;
  }
  if (options['no-build'] !== true) execFileSync(process.execPath, ['build.ts'], { cwd: ROOT, stdio: 'inherit' });
  const folder = resolve(options.out ?? join(ROOT, 'release', `lintel-${version}`));
  const isDirty = listChangedFiles(ROOT) !== '';
  const logStep = (line: string) => process.stdout.write(`${join(folder, line)}\n`);
  await makeRelease({ root: ROOT, version, folder, parts, isOnDebian, builder, isDirty, logStep });
  const { date } = readReleaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version) ?? {};
  if (date === undefined) process.stderr.write(`CHANGELOG.md has no day for ${version} yet\n`);
  process.stderr.write('nothing was published\n');
  return 0;
}

/** @throws OptionError for a part that does not exist, and for a requested part that this machine cannot make */
function chooseParts(only: string | undefined, isOnDebian: boolean): readonly ReleasePart[] {
  const names = only?.split(',');
  const unknown = names?.find(name => !PARTS.some(part => part.name === name));
  if (unknown !== undefined) throw new OptionError(`--only: there is no part ${unknown}; see --help`);
  return PARTS.filter(({ name }) => names === undefined || names.includes(name)).filter(part => {
    const missing = part.missing?.({ isOnDebian });
    if (missing === undefined) return true;
    if (names !== undefined) throw new OptionError(`${part.name} cannot be made here: ${missing}`);
    process.stderr.write(`without ${part.name}: ${missing}\n`);
    return false;
  });
}

process.exitCode = await main(process.argv.slice(2)).catch(error => {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`npm run release: ${error.message}\n`);
  return 2;
});
