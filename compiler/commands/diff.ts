import { existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BUNDLE_FILE, compareText, INDEX_FILE } from '#schemas';
import { diffExposures } from '../analysis/exposure/difference/diff-exposures.ts';
import { type FailOn, failsOn } from '../analysis/exposure/difference/fail-on.ts';
import { DIFFERENCE_RENDERERS, type DifferenceFormat } from '../analysis/exposure/difference/render/index.ts';
import type { ComparedBundle } from '../analysis/exposure/difference/render/rendering.ts';
import { EXPOSURE_FILE, type Exposure } from '../analysis/exposure/exposure.ts';
import {
  listOutsideChanges,
  type OutsideBundles,
  omitShown,
  readOutside,
} from '../analysis/exposure/outside-bundles.ts';
import { readExposures } from '../analysis/exposure/read-exposure.ts';
import type { RegistryExposure } from '../analysis/exposure/registry/registry-exposure.ts';
import { CODES } from '../diagnostics/codes.ts';
import { formatObjectKey } from '../diagnostics/object-key.ts';
import { hasOwnCatalog, loadProject } from '../project/index.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { UsageError } from '../usage-error.ts';
import { readBuildEntries } from './build-entries.ts';
import { readBundleExposures } from './bundle-exposure.ts';
import { compilePaths, describeTerminal, printErrors } from './compile-paths.ts';
import { writeOutput } from './outputs.ts';
import { readJsonObject } from './read-json-object.ts';
import { type ProgramArguments, toProgramArguments } from './run-programs.ts';

export interface DiffOptions extends ProgramArguments {
  /** The tool lock for the specs on both sides, instead of their own. */
  readonly catalog?: string | undefined;
  readonly format: DifferenceFormat;
  /** Undefined for standard output. */
  readonly output: string | undefined;
  /** Which differences end with exit code 1. */
  readonly failOn: FailOn;
}

/** Options for reading specs. */
type ReadingOptions = ProgramArguments & Pick<DiffOptions, 'catalog'>;

type AnyExposure = Exposure | RegistryExposure;

/** Kinds whose objects have an address of their own in a cluster, each behind a gateway with one backend. */
const SERVER_KINDS: ReadonlySet<string> = new Set(['MCPServer', 'MCPRemoteProxy']);

/** An argument that looks like a Git revision. */
const COMMIT = /^(?:HEAD(?:[~^].*)?|main|master|origin\/\S+|[0-9a-f]{7,40})$/;

/** The content of one compared path. */
interface ComparedSide {
  readonly exposures: readonly AnyExposure[];
  /** `kind/namespace/name` of objects that exist and whose exposure is unknown. */
  readonly unknown: ReadonlyMap<string, string>;
  /** Whether everything in the path could be read. */
  readonly isWhole: boolean;
  /** What the specs contain besides bundles; undefined for a build. */
  readonly outside?: OutsideBundles;
}

/**
 * Compares which callers can reach which items. Standard output has only the difference. Returns the exit code: 1 for a difference that
 * `failOn` names, 3 when something could not be compared, for example without a tool lock.
 * @throws UsageError for a path without anything to compare
 */
export async function diff(before: string, after: string, options: DiffOptions): Promise<number> {
  const { format, output, failOn } = options;
  const reading: ReadingOptions = { ...toProgramArguments(options), catalog: options.catalog };
  if (COMMIT.test(before) && !existsSync(before))
    throw new UsageError(
      `no such file or folder: ${before}; to compare with a commit: git worktree add ../base ${before}, and lintel diff ../base/${after} ${after}`,
    );
  const [old, now] = [await readSide(before, reading), await readSide(after, reading)];
  refuseDoubles(before, old);
  refuseDoubles(after, now);
  const sides = [
    { path: before, side: old, other: now },
    { path: after, side: now, other: old },
  ];
  const unknown = new Map([...old.unknown, ...now.unknown, ...sides.flatMap(listUnread)]);
  const known = ({ exposures }: ComparedSide) => exposures.filter(exposure => !unknown.has(formatObjectKey(exposure)));
  const differences = diffExposures(known(old), known(now));
  const inPart = differences.filter(({ complete }) => !complete);
  const outside = listOutsideChanges(old.outside, now.outside);
  const notCompared = [
    ...sides.flatMap(({ path, side }) =>
      side.isWhole ? [] : [`not all of ${path} can be read: see \`lintel check ${path}\``],
    ),
    ...unknown.values(),
    ...outside,
    ...inPart.map(
      ({ namespace, name }) =>
        `${namespace}/${name} is not compared in full: not everything that its backends offer is known: run \`lintel lock\``,
    ),
  ];
  for (const sentence of notCompared) process.stderr.write(`lintel: ${sentence}\n`);
  const bundles = listComparedBundles(known(old), known(now));
  const render = DIFFERENCE_RENDERERS[format];
  if (output === undefined)
    process.stdout.write(render(differences, { ...describeTerminal(process.stdout), notCompared, bundles }));
  else await writeOutput(output, render(differences, { color: false, notCompared, bundles }));
  const isUnclassified = differences.some(({ classification }) => classification === 'unclassified');
  if (notCompared.length > 0 || isUnclassified) return 3;
  return differences.some(difference => failsOn(failOn, difference)) ? 1 : 0;
}

/** @throws UsageError for two exposures of one gateway or registry server, one of which would not be compared */
function refuseDoubles(path: string, { exposures }: ComparedSide): void {
  const keys = exposures.map(formatObjectKey);
  const double = keys.find((key, at) => keys.indexOf(key) < at);
  if (double !== undefined) throw new UsageError(`${path}: has two exposures of ${double.replace('/', ' ')}`);
}

function withoutBundle({ bundle: _, ...exposure }: AnyExposure): AnyExposure {
  return exposure;
}

/** The digests of the bundles on both sides, for each gateway or registry server that has a bundle on at least one side. */
function listComparedBundles(before: readonly AnyExposure[], after: readonly AnyExposure[]): readonly ComparedBundle[] {
  const [old, now] = [before, after].map(all => new Map(all.map(exposure => [formatObjectKey(exposure), exposure])));
  const keys = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort(compareText);
  return keys.flatMap(key => {
    const [was, is] = [old?.get(key), now?.get(key)];
    const one = is ?? was;
    const [digestBefore, digestAfter] = [was?.bundle ?? null, is?.bundle ?? null];
    if (one === undefined || (digestBefore === null && digestAfter === null)) return [];
    const { kind, namespace, name } = one;
    return [{ kind, namespace, name, before: digestBefore, after: digestAfter }];
  });
}

/**
 * If a side could not be read completely, an object that is missing there may be in an unreadable file. So it does not count as removed, and is not
 * compared.
 */
function listUnread({
  path,
  side,
  other,
}: {
  readonly path: string;
  readonly side: ComparedSide;
  readonly other: ComparedSide;
}): readonly (readonly [key: string, why: string])[] {
  if (side.isWhole) return [];
  const found = new Set(side.exposures.map(formatObjectKey));
  return other.exposures
    .filter(exposure => !found.has(formatObjectKey(exposure)) && !side.unknown.has(formatObjectKey(exposure)))
    .map(exposure => [
      formatObjectKey(exposure),
      `${exposure.namespace}/${exposure.name} is not compared: it is missing from the readable part of ${path}`,
    ]);
}

/** A folder written by `lintel build`, one of its bundles, a file of exposures, or specs. */
async function readSide(path: string, reading: ReadingOptions): Promise<ComparedSide> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() && readdirSync(path).includes(INDEX_FILE)) {
    const built = readBuild(path);
    if (built !== undefined) return built;
  }
  const bundle = findBundleFolder(path, stats);
  if (bundle !== undefined) return { exposures: readBundleExposures(bundle), unknown: new Map(), isWhole: true };
  if (stats?.isFile() && path.endsWith('.json')) {
    const exposures = readExposures(readJsonObject(path, 'exposure', MAX_CATALOG_BYTES));
    if (exposures !== undefined) return { exposures, unknown: new Map(), isWhole: true };
  }
  return await compileSpecs(path, reading);
}

/** The content of a folder that `lintel build` wrote; undefined for any other folder. */
function readBuild(folder: string): ComparedSide | undefined {
  const entries = readBuildEntries(folder);
  if (entries === undefined) return undefined;
  const exposures = entries.flatMap(({ path, digest }) => readBundleExposures(join(folder, path), digest));
  return { exposures, unknown: new Map(), isWhole: true };
}

/** The folder of one bundle, given the folder, the bundle file or the exposure next to it. */
function findBundleFolder(path: string, stats: Stats | undefined): string | undefined {
  const isFileOfBundle = stats?.isFile() && [BUNDLE_FILE, EXPOSURE_FILE].includes(basename(path));
  const folder = isFileOfBundle ? dirname(path) : path;
  const hasFile = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.isFile() === true;
  return hasFile(BUNDLE_FILE) && hasFile(EXPOSURE_FILE) ? folder : undefined;
}

/**
 * A tool lock describes the sources of its own folder. With the lock of the working directory, specs of another revision would be compared
 * as if their backends offered the same items. So such specs get no lock, and items that are unknown without it are not compared.
 */
function readsOwnLock(path: string): boolean {
  const cwd = process.cwd();
  return hasOwnCatalog(loadProject(undefined, cwd, [path]), [path], cwd);
}

async function compileSpecs(path: string, reading: ReadingOptions): Promise<ComparedSide> {
  const catalog = reading.catalog ?? (readsOwnLock(path) ? undefined : false);
  if (catalog === false)
    process.stderr.write(
      `lintel: there is no tool lock for ${path}, and the tool lock of another folder is not used for it\n`,
    );
  const compiled = await compilePaths([path], { ...reading, catalog, purpose: 'language' });
  const { gateways, servers, registries, objects, broken, findings, checked } = compiled.compilation;
  if (findings.counts.error > 0) printErrors(compiled);
  const exposures: AnyExposure[] = [];
  const unknown = new Map<string, string>();
  const keep = (kind: AnyExposure['kind'], name: string, exposure: AnyExposure | null) => {
    // Without the digest of the bundle: a later build of the same specs may add a revision, which changes the digest.
    if (exposure !== null) exposures.push(withoutBundle(exposure));
    else
      unknown.set(
        `${kind}/${name}`,
        `${name} is not compared: it has errors in ${path}, so what it exposes is not known`,
      );
  };
  for (const { object, exposure } of gateways) keep('gateway', `${object.namespace}/${object.name}`, exposure());
  for (const { object, exposure } of servers)
    keep('gateway', `${object.namespace}/${getExposedName(object)}`, exposure());
  for (const object of broken.filter(({ kind }) => SERVER_KINDS.has(kind)))
    keep('gateway', `${object.namespace}/${getExposedName(object)}`, null);
  for (const { object, exposure } of registries) keep('registry', `${object.namespace}/${object.name}`, exposure());
  // Sources that could not be read, such as a failing program, may contain further gateways.
  const isRead = !findings.all.some(({ code, severity }) => severity === 'error' && CODES[code].fixed === 'unreadable');
  const outside = readOutside({ denial: compiled.project.denial, objects, servers });
  return { exposures, unknown, isWhole: checked.complete && isRead, outside: omitShown(outside, exposures) };
}
