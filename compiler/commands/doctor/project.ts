/** The checks of specs by `lintel doctor`: whether they can be served from here, and whether their backends answer. */
import { isDeepStrictEqual } from 'node:util';
import { deduplicateBackends, type SourceBackend, updateLock } from '../../analysis/catalog/index.ts';
import type { Compilation } from '../../compile/compilation.ts';
import { getOwnCommand } from '../../own-command.ts';
import { formatPath, loadCatalog, loadProject, resolveCatalogFile } from '../../project/index.ts';
import { formatList } from '../../text/describe.ts';
import { UsageError } from '../../usage-error.ts';
import { compileProject, type ProjectOptions } from '../compile-paths.ts';
import { type QueryResult, queryBackends } from '../query-backends.ts';
import { findMissingPrograms, formatMissingPrograms, isMissing } from '../serving/missing-programs.ts';
import { findMissingSecrets, formatRemedy } from '../serving/missing-secrets.ts';
import type { DoctorCheck } from './check.ts';

export interface ProjectCheckOptions extends ProjectOptions {
  readonly dotenv?: readonly string[];
  /** Sends no request to backends. */
  readonly offline: boolean;
  /** Timeout of each request. */
  readonly timeoutMs: number;
}

/** Runs the checks in the order of their dependencies, and skips those that cannot be decided. */
export async function checkProject(
  paths: readonly string[],
  options: ProjectCheckOptions,
): Promise<readonly DoctorCheck[]> {
  const cwd = process.cwd();
  const rest = (seen: string) =>
    ['variables', 'programs', 'tool lock', 'backends'].map(
      (check): DoctorCheck => ({ check, outcome: 'skipped', seen }),
    );
  let compilation: Compilation;
  let lockFile: string;
  let denial: Parameters<typeof queryBackends>[1]['denial'];
  try {
    const project = loadProject(options.config, cwd, paths);
    ({ compilation } = await compileProject(paths, project, { ...options, catalog: false, purpose: 'build' }));
    lockFile = resolveCatalogFile(options.catalog === false ? undefined : options.catalog, project, paths, cwd);
    denial = project.denial;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const advice = `\`${getOwnCommand()} init\` or \`${getOwnCommand()} import mcp.json\` writes specs; \`${getOwnCommand()} check\` shows mistakes of a configuration`;
    return [
      { check: 'specs', outcome: 'broken', seen: error.message, advice },
      ...rest('there are no specs to look at'),
    ];
  }
  const specs = checkSpecs(compilation);
  if (specs.outcome === 'broken') return [specs, ...rest('not known while the specs have errors')];
  const backends = deduplicateBackends(compilation.gateways.flatMap(gateway => gateway.backends?.() ?? []));
  // A stdio server whose program is missing has a line of its own and cannot be queried.
  const askable = backends.filter(({ plan: { stdio } }) => stdio === undefined || !isMissing(stdio));
  const answers =
    options.offline || backends.length === 0
      ? undefined
      : await queryBackends(askable, { denial, env: options.env ?? [], timeoutMs: options.timeoutMs });
  return [
    specs,
    checkVariables(compilation, options.dotenv),
    checkPrograms(compilation),
    checkLock(backends, lockFile, answers),
    ...(answers === undefined
      ? [
          {
            check: 'backends',
            outcome: 'skipped',
            seen: options.offline ? 'not asked (--offline)' : 'there are none',
          } as const,
        ]
      : backends.map(backend => checkBackend(backend, answers))),
  ];
}

function checkSpecs({ checked, hasErrors, findings }: Compilation): DoctorCheck {
  const check = 'specs';
  const { objects, files } = checked;
  const what = `${objects} ${objects === 1 ? 'object' : 'objects'} in ${files} ${files === 1 ? 'file' : 'files'}`;
  if (!hasErrors && checked.complete) return { check, outcome: 'works', seen: `${what}, without errors` };
  const { error } = findings.counts;
  const seen = `${what}, ${error === 1 ? 'with an error' : `with ${error} errors`}`;
  return { check, outcome: 'broken', seen, advice: `\`${getOwnCommand()} check\` shows them` };
}

function checkVariables(compilation: Compilation, dotenv: readonly string[] | undefined): DoctorCheck {
  const check = 'variables';
  const missing = chooseGateways(compilation).flatMap(entry => {
    const { needed, ofServers } = findMissingSecrets(compilation, entry);
    return [...needed, ...ofServers];
  });
  if (missing.length === 0) return { check, outcome: 'works', seen: 'no secret is missing on this machine' };
  const distinct = [...new Map(missing.map(secret => [secret.variable, secret])).values()];
  const seen = `missing: ${distinct.map(({ variable, use }) => `${variable} (${use})`).join(', ')}`;
  return { check, outcome: 'broken', seen, advice: formatRemedy(distinct, dotenv ?? [], 'run this again') };
}

function checkPrograms(compilation: Compilation): DoctorCheck {
  const check = 'programs';
  const missing = chooseGateways(compilation).flatMap(entry => findMissingPrograms(compilation, entry));
  if (missing.length === 0) return { check, outcome: 'works', seen: 'the programs of stdio servers are on PATH' };
  return { check, outcome: 'broken', seen: formatMissingPrograms(missing) };
}

function chooseGateways({ gateways }: Compilation) {
  return gateways.map(({ object }) => ({ kind: 'gateway' as const, name: `${object.namespace}/${object.name}` }));
}

function checkLock(backends: readonly SourceBackend[], file: string, answers: QueryResult | undefined): DoctorCheck {
  const check = 'tool lock';
  const cwd = process.cwd();
  const shown = formatPath(file, cwd);
  const advice = `\`${getOwnCommand()} lock\` writes down what they offer`;
  if (backends.length === 0) return { check, outcome: 'skipped', seen: 'there are no backends' };
  const loaded = loadCatalog(file, cwd);
  if (loaded === undefined) return { check, outcome: 'warning', seen: `there is no ${shown}`, advice };
  if (loaded.diagnostics.length > 0)
    return {
      check,
      outcome: 'broken',
      seen: `${shown} has mistakes`,
      advice: `\`${getOwnCommand()} check\` shows them`,
    };
  const entries = loaded.lock.backends;
  const missing = backends.filter(({ key }) => !Object.hasOwn(entries, key));
  if (missing.length > 0)
    return {
      check,
      outcome: 'warning',
      seen: `${shown} lacks ${formatList(missing.map(({ plan }) => plan.name))}`,
      advice,
    };
  const inSources = new Set(backends.map(({ key }) => key));
  const { lock: now } = updateLock(loaded.lock, { entries: answers?.entries ?? new Map(), inSources, prune: false });
  const changed = backends.filter(({ key }) => !isDeepStrictEqual(now.backends[key], entries[key]));
  if (changed.length > 0)
    return {
      check,
      outcome: 'warning',
      seen: `${formatList(changed.map(({ plan }) => plan.name))} offers something else than ${shown} has`,
      advice: `\`${getOwnCommand()} lock\` prints the difference, and writes it down`,
    };
  return {
    check,
    outcome: 'works',
    seen: `${shown} has every backend${answers === undefined ? '' : ', as it is today'}`,
  };
}

function checkBackend({ key, plan }: SourceBackend, { entries, notLocked }: QueryResult): DoctorCheck {
  const check = `backend ${plan.name}`;
  const entry = entries.get(key);
  if (entry !== undefined) {
    const count = Object.keys(entry.tools ?? {}).length;
    return { check, outcome: 'works', seen: count === 1 ? 'offers 1 tool' : `offers ${count} tools` };
  }
  const reason = notLocked.find(element => element.key === key)?.reason;
  if (reason === undefined) return { check, outcome: 'skipped', seen: 'its program is missing' };
  return { check, outcome: 'broken', seen: reason, advice: formatAdvice(reason) };
}

function formatAdvice(reason: string): string {
  if (reason.includes('HTTP 401') || reason.includes('HTTP 403'))
    return 'give it a credential in the specs (docs/import.md says which ways there are), and its value by --dotenv';
  if (/secret|environment variable|token/.test(reason)) return 'give the value of its credential by --dotenv';
  return 'start it, or correct its URL or command in the specs';
}
