import { statSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX_FILE, type PrivateDenial, VERSION } from '#schemas';
import { computeBundleDigest } from '../analysis/exposure/bundle-digest.ts';
import type { Compilation } from '../compile/compilation.ts';
import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { NoStatusError, type RunningBundle, readRunningBundle, toStatusUrl } from '../top/index.ts';
import { UsageError } from '../usage-error.ts';
import { readBuildEntries } from './build-entries.ts';
import { readBundleDigest } from './bundle-exposure.ts';
import {
  type CompiledPaths,
  type CompilePathsOptions,
  compilePaths,
  type ProjectOptions,
  printErrors,
} from './compile-paths.ts';

export const VERIFY_FORMATS = ['text', 'json'] as const;

export interface VerifyOptions extends ProjectOptions {
  readonly format: (typeof VERIFY_FORMATS)[number];
}

export const VERIFICATION_FORMAT_VERSION = 1;

/** Whether a process serves what the given specs describe. */
interface Verification {
  readonly result: 'same' | 'different' | 'unknown';
  /** The digest of the bundle that the specs give; null when they give none. */
  readonly digest: string | null;
  /** Why the result is not `same`; null when it is. */
  readonly reason: string | null;
  /** Options of the process with which it contacts more addresses than the project allows. */
  readonly weakerOptions?: readonly string[];
}

type Identity = Pick<RunningBundle, 'namespace' | 'name'>;

const EXIT_CODES = { same: 0, different: 1, unknown: 3 } as const satisfies {
  readonly [R in Verification['result']]: number;
};

/**
 * Compares the bundle that a process serves with the one that specs give, or that a build wrote. Returns the exit code.
 *
 * @param address the internal address of a gateway or registry server
 * @throws UsageError for a URL that cannot be one, and for paths without anything to compare
 */
export async function verify(address: string, paths: readonly string[], options: VerifyOptions): Promise<number> {
  const url = toStatusUrl(address);
  let running: RunningBundle;
  try {
    running = await readRunningBundle(url);
  } catch (error) {
    if (!(error instanceof NoStatusError)) throw error;
    process.stderr.write(`lintel: ${error.message}\n`);
    if (options.format === 'json') process.stdout.write(toJson(url, undefined, unknown(error.message)));
    return EXIT_CODES.unknown;
  }
  const [path] = paths;
  const found =
    paths.length === 1 && path !== undefined && isBuild(path)
      ? compareWithBuild(path, running)
      : await compareWithSpecs(paths, running, options);
  process.stdout.write(options.format === 'json' ? toJson(url, running, found) : toText(url, paths, running, found));
  return EXIT_CODES[found.result];
}

function isBuild(path: string): boolean {
  return statSync(join(path, INDEX_FILE), { throwIfNoEntry: false })?.isFile() === true;
}

function compareWithBuild(folder: string, running: RunningBundle): Verification {
  const entries = readBuildEntries(folder);
  if (entries === undefined)
    throw new UsageError(
      `${join(folder, INDEX_FILE)}: is not the index of a build: give specs, or a folder that \`lintel build\` wrote`,
    );
  const { kind, namespace, name } = running;
  // The status of an MCPServer or MCPRemoteProxy has the kind of a gateway, so the kind only distinguishes registry servers from all others.
  const isOfKind = (found: unknown) => (found === 'registry') === (kind === 'registry');
  const digests = entries
    .filter(one => isOfKind(one.kind) && one.namespace === namespace && one.name === name)
    // The digest is computed from the bundle file, which a reviewer may have read. The index could name another bundle.
    .map(({ path, digest }) => readBundleDigest(join(folder, path), digest));
  const digest = digests.find(one => one === running.digest) ?? digests[0];
  if (digest === undefined)
    return { result: 'different', digest: null, reason: `${folder} has no bundle of ${formatServer(running)}` };
  return compareDigests(running, digest, folder);
}

/** The result of a comparison with specs, and the compilation of these specs. */
interface ComparedSpecs {
  readonly compiled: CompiledPaths;
  readonly verification: Verification;
}

async function compareWithSpecs(
  paths: readonly string[],
  running: RunningBundle,
  options: VerifyOptions,
): Promise<Verification> {
  let found = await compareOnce(paths, running, options);
  // The controller gives an object without a namespace that of its GatewaySource, and `lintel build` the namespace `default`. An equal digest
  // proves an equal bundle, so it does not matter which of the two namespaces gave it. Standard input can be read only once.
  if (found.verification.result !== 'same' && running.namespace !== 'default' && !paths.includes('-')) {
    const { programs } = found.compiled;
    const other = await compareOnce(paths, running, options, { defaultNamespace: running.namespace, programs });
    if (other.verification.result === 'same' || found.verification.digest === null) found = other;
  }
  const { compiled, verification } = found;
  if (compiled.compilation.findings.counts.error > 0) printErrors(compiled);
  const weakerOptions = listWeakerOptions(running.options, compiled.project.denial);
  if (verification.result !== 'same' || weakerOptions.length === 0) return { ...verification, weakerOptions };
  return { ...verification, weakerOptions, result: 'different', reason: weakerOptions.join('; ') };
}

/** @param denial of the project; a build does not contain it */
function listWeakerOptions(options: RunningBundle['options'], denial: PrivateDenial | undefined): readonly string[] {
  if (options === undefined || denial === undefined) return [];
  if (!options.denyPrivateBackends)
    return ['it was started without --deny-private-backends, and the project has denyPrivateBackends: true'];
  return options.privateBackends
    .filter(host => !denial.except.includes(host))
    .map(host => `it was started with --private-backend ${host}, which privateBackends of the project does not name`);
}

async function compareOnce(
  paths: readonly string[],
  running: RunningBundle,
  options: VerifyOptions,
  more: Pick<CompilePathsOptions, 'defaultNamespace' | 'programs'> = {},
): Promise<ComparedSpecs> {
  // The revision is a part of the bundle, so the specs are compiled with that of the running one.
  const { sourceRevision } = running;
  const compiled = await compilePaths(paths, { ...options, ...more, purpose: 'build', sourceRevision });
  return { compiled, verification: compareWithCompiled(compiled.compilation, running) };
}

function compareWithCompiled(
  { gateways, servers, registries, checked }: Compilation,
  running: RunningBundle,
): Verification {
  const candidates = running.kind === 'registry' ? registries : [...gateways, ...servers];
  const identities = candidates.map(({ bundle, object }) => ({
    namespace: bundle?.namespace ?? object.namespace,
    name: bundle?.name ?? object.name,
  }));
  const named = candidates.filter((_, at) => {
    const identity = identities[at];
    return identity?.namespace === running.namespace && identity.name === running.name;
  });
  // A gateway and an MCPServer may have the same name. The one with the digest of the running bundle is meant.
  const found =
    named.find(({ bundle }) => bundle !== null && computeBundleDigest(bundle) === running.digest) ?? named[0];
  if (found === undefined && !checked.complete)
    return unknown(`the specs cannot be read completely, so they may describe ${formatServer(running)} all the same`);
  if (found === undefined)
    return {
      result: 'different',
      digest: null,
      reason: `the specs do not describe ${formatServer(running)}${formatDescribed(running.kind, identities)}`,
    };
  if (found.bundle === null || !checked.complete)
    return unknown(`the specs have errors, so they give no bundle of ${formatServer(running)}`);
  const digest = computeBundleDigest(found.bundle);
  if (digest !== running.digest && running.compilerVersion !== VERSION)
    return {
      ...unknown(
        `version ${running.compilerVersion} of Lintel built what runs, and this is ${VERSION}, which may write another bundle for the same specs: verify with that version`,
      ),
      digest,
    };
  return compareDigests(running, digest, 'the specs');
}

/** Maximum number of names in a message. */
const MAX_NAMES = 5;

function formatDescribed(kind: RunningBundle['kind'], identities: readonly Identity[]): string {
  if (identities.length === 0) return '';
  const shown = identities.slice(0, MAX_NAMES).map(({ namespace, name }) => `${namespace}/${name}`);
  const more = identities.length > MAX_NAMES ? ` and ${identities.length - MAX_NAMES} more` : '';
  return `, but ${formatKind(kind)} ${shown.join(', ')}${more}`;
}

function unknown(reason: string): Verification {
  return { result: 'unknown', digest: null, reason };
}

function compareDigests(running: RunningBundle, digest: string, side: string): Verification {
  if (digest === running.digest) return { result: 'same', digest, reason: null };
  return { result: 'different', digest, reason: `it serves another bundle than ${side} would give it` };
}

function formatServer({ kind, namespace, name }: RunningBundle): string {
  return `${formatKind(kind)} ${namespace}/${name}`;
}

function formatKind(kind: RunningBundle['kind']): string {
  return kind === 'registry' ? 'registry server' : 'gateway';
}

/** @param running undefined when the status cannot be read */
function toJson(url: URL, running: RunningBundle | undefined, found: Verification): string {
  const { result, digest, reason, weakerOptions = [] } = found;
  const { kind, namespace, name, ...bundle } = running ?? {};
  return formatJson({
    formatVersion: VERIFICATION_FORMAT_VERSION,
    url: url.href,
    server: running === undefined ? null : { kind, namespace, name },
    result,
    reason,
    weakerOptions,
    running: running === undefined ? null : bundle,
    expected: digest === null ? null : { digest },
  });
}

function toText(url: URL, paths: readonly string[], running: RunningBundle, found: Verification): string {
  const { digest, sourceRevision, refused, options } = running;
  const { weakerOptions = [] } = found;
  const isSame = found.digest === digest;
  const from = paths.length === 0 ? 'the specs' : paths.join(' ');
  const head = {
    same: `serves the bundle of ${from}`,
    different: isSame
      ? `serves the bundle of ${from}, with weaker options`
      : found.digest === null
        ? `is not verified: ${found.reason}`
        : `serves another bundle than that of ${from}`,
    unknown: `cannot be verified: ${found.reason}`,
  }[found.result];
  const lines = [
    `${formatServer(running)} at ${url.origin} ${head}`,
    `  running   ${digest}${sourceRevision === null ? '' : `, revision ${sourceRevision}`}`,
    ...(found.digest === null || isSame ? [] : [`  expected  ${found.digest}`]),
    ...weakerOptions.map(sentence => `  ${sentence}`),
    ...(options?.allowedOrigins ?? []).map(
      origin => `  it was started with --allowed-origin ${origin}: web pages of this origin may call it`,
    ),
    ...(refused === null ? [] : [`  it refused a newer bundle: ${refused}`]),
    ...(found.result === 'different' && found.digest !== null && !isSame ? [formatAdvice(sourceRevision)] : []),
  ];
  return lines.map(line => `${escapeUnprintable(line)}\n`).join('');
}

function formatAdvice(revision: string | null): string {
  return revision === null
    ? '  to see what differs, compare with the specs that were deployed: lintel diff DEPLOYED SPECS'
    : `  to see what differs: git worktree add ../running ${revision}, then lintel diff ../running/SPECS SPECS`;
}
