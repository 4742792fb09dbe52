/** `lintel import`: converts the configuration of another program into the specs of a gateway. */

import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, resolve } from 'node:path';
import { findNearest } from '#shared/util';
import {
  type ExistingSpecs,
  type FoundFile,
  type FoundServer,
  formatEnvExample,
  formatObjects,
  IMPORT_RENDERERS,
  type ImportFormat,
  type ImportPlan,
  listSecretSteps,
  planImport,
  readExistingSpecs,
  readImportedFile,
  withErrors,
} from '../import/index.ts';
import { getOwnCommand } from '../own-command.ts';
import { findProjectFile, findSources, loadProject, PROJECT_FILE } from '../project/index.ts';
import { readOwnText } from '../source/read-own-text.ts';
import { formatNextSteps, type Step } from '../starter/next-steps.ts';
import { toObjectName } from '../starter/object-name.ts';
import { ENV_EXAMPLE, formatProject, GATEWAY_FILE, IGNORE_TEXT } from '../starter/project-files.ts';
import { createRemoteServer, SAMPLE_URL, sampleGateway } from '../starter/sample.ts';
import { findErrors } from '../starter/server-problem.ts';
import { API_VERSION, formatServers, formatSpecs } from '../starter/specs-text.ts';
import { formatList } from '../text/describe.ts';
import { UsageError } from '../usage-error.ts';
import { writeOutput } from './outputs.ts';
import { findTerminalColumns } from './terminal-columns.ts';

export interface ImportOptions {
  /** Folder of the specs. */
  readonly out: string;
  /** The name of the new gateway; undefined: it depends on the existing specs. */
  readonly name?: string | undefined;
  /** The existing group that gets the servers; undefined: it depends on the existing specs. */
  readonly into?: string | undefined;
  /** Writes what can be converted, and omits the rest. */
  readonly partial?: boolean;
  /** The servers to import, by their names in the files; undefined for all. */
  readonly only?: readonly string[];
  /** Names of values that are not secret although they look like it. */
  readonly plain?: readonly string[];
  readonly format: ImportFormat;
}

/**
 * Writes the specs of a gateway with the servers of the files, a `.env.example` with the variables that the specs need, and a `lintel.yaml` and a
 * `.gitignore` unless they exist. Returns the exit code: 1 when something cannot be converted. Then nothing is written, unless `partial` asks to omit
 * what cannot be converted.
 *
 * @throws UsageError for an unsupported file, for a gateway that exists, and for a group that does not exist
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<number> {
  const { out, partial = false, plain = [], only, format } = options;
  if (options.name !== undefined && toObjectName(options.name, '') !== options.name)
    throw new UsageError(
      '--name: a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters',
    );
  const all = paths.flatMap(file => readImportedFile(file).map((found): FoundFile => ({ file, found })));
  const chosen = only === undefined ? all : chooseFiles(all, only);
  const { name, into, sample, existing } = chooseTarget(chosen, readExistingSpecs(out), options);
  const files = into === undefined ? chosen : listNewServers(chosen, existing, out);
  const specs = sample ?? (into === undefined ? join(out, `${name}.yaml`) : freeFile(out, into));
  if (into !== undefined) requireGroup(into, existing, out);
  else if (sample === undefined) refuseSecond(chosen, specs, existing, { out, name });
  const taken = new Set(into === undefined ? [...existing.names, name] : existing.names);
  const plan = withErrors(planImport(files, { taken, plain: new Set(plain), group: into }));
  const isEmpty = plan.carried.length === 0 && plan.objects.length === 0;
  const isWhole = plan.notCarried.length === 0;
  const writtenFiles = !isEmpty && (isWhole || partial) ? await write(plan, specs, name, files, out) : [];
  const shown = files.map(({ file, found }) => ({ file, form: found.form }));
  const report = { ...plan, files: shown, gateway: into === undefined ? name : undefined, written: writtenFiles };
  process.stdout.write(IMPORT_RENDERERS[format](report, findTerminalColumns(process.stdout)));
  if (writtenFiles.length > 0) {
    if (format === 'text') {
      if (into !== undefined && options.into === undefined) process.stdout.write(joinTexts(into));
      process.stdout.write(formatStepsAfter(plan, existing, { out, specs, gateway: report.gateway }));
    }
    return 0;
  }
  const reason = isEmpty
    ? into !== undefined && options.into === undefined && plan.notCarried.length === 0 && plan.off.length > 0
      ? `no server is new in the group ${into}; --name makes another gateway`
      : 'there is no server that can be carried over'
    : 'not everything can be carried over; --partial writes the rest';
  process.stderr.write(`lintel: nothing was written: ${reason}\n`);
  return 1;
}

/** The gateway and the group that get the servers. */
interface ServersDestination {
  /** The name of the new gateway; unused if `into` is set. */
  readonly name: string;
  /** The existing group that the servers join; undefined for a new gateway. */
  readonly into: string | undefined;
  /** The file of the gateway without servers that `lintel init` wrote: the file of the new gateway replaces it. */
  readonly sample: string | undefined;
  /** The existing objects, except those that are replaced. */
  readonly existing: ExistingSpecs;
}

/** The default name of a gateway. */
const NEW_NAME = 'imported';

/**
 * Chooses the gateway or group that gets the servers: one gateway for all of them, unless options say otherwise. The objects of another Kubernetes
 * program contain their own gateways.
 *
 * @throws UsageError where several gateways could be meant
 */
function chooseTarget(
  files: readonly FoundFile[],
  existing: ExistingSpecs,
  { out, name, into }: Pick<ImportOptions, 'out' | 'name' | 'into'>,
): ServersDestination {
  const target = { name: name ?? NEW_NAME, into, sample: undefined, existing };
  const haveGateways = files.some(({ found }) => found.group !== undefined || (found.objects ?? []).length > 0);
  if (name !== undefined || into !== undefined || haveGateways) return target;
  const file = join(out, basename(GATEWAY_FILE));
  const sample = existsSync(file) ? sampleGateway(readOwnText(file)) : undefined;
  if (sample !== undefined) {
    const replaced = new Set([sample, createRemoteServer(SAMPLE_URL).name]);
    const names = new Set([...existing.names].filter(value => !replaced.has(value)));
    const gateways = existing.gateways.filter(gateway => gateway !== sample);
    return { ...target, name: sample, sample: file, existing: { ...existing, names, gateways } };
  }
  // A gateway of this name exists, so the same file is probably imported again. The message then names only the new servers.
  if (existsSync(join(out, `${NEW_NAME}.yaml`))) return target;
  const groups = [...new Set(existing.groupsOfGateways)].filter(group => existing.groups.includes(group));
  if (groups.length > 1)
    throw new UsageError(
      `${out} has several gateways: --into adds the servers to the group of one (${groups.join(', ')}), --name makes another gateway`,
    );
  return { ...target, into: groups[0] };
}

function joinTexts(group: string): string {
  return `\nThe servers are in the group ${group}, which a gateway has already. To give them a gateway of their own, take the file away and import with --name.\n`;
}

/** @throws UsageError for a server that is in none of the files */
function chooseFiles(files: readonly FoundFile[], only: readonly string[]): readonly FoundFile[] {
  const names = new Set(files.flatMap(({ found }) => found.servers.map(({ name }) => name)));
  const missing = only.find(name => !names.has(name));
  const near = missing === undefined ? undefined : findNearest(missing, [...names]);
  if (missing !== undefined)
    throw new UsageError(
      `--only ${missing}: no file has a server of this name${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  return files.map(({ file, found }) => ({
    file,
    found: { ...found, servers: found.servers.filter(({ name }) => only.includes(name)) },
  }));
}

/** An existing object of this name counts as the server of an earlier import, even if it was edited since. */
function isExisting({ name }: FoundServer, { names }: ExistingSpecs): boolean {
  return names.has(toObjectName(name, 'server'));
}

function listNewServers(files: readonly FoundFile[], existing: ExistingSpecs, out: string): readonly FoundFile[] {
  const reason = `${out} has an object of this name already`;
  return files.map(({ file, found }) => ({
    file,
    found: {
      ...found,
      servers: found.servers.map(server =>
        isExisting(server, existing) ? { ...server, outcome: { type: 'off', reason } } : server,
      ),
    },
  }));
}

/** @throws UsageError when the gateway exists: its specs may have been edited, so nothing overwrites them */
function refuseSecond(
  files: readonly FoundFile[],
  specs: string,
  existing: ExistingSpecs,
  { out, name }: { readonly out: string; readonly name: string },
): void {
  const remedy = 'give the gateway another --name';
  if (!existsSync(specs)) {
    if (existing.names.has(name)) throw new UsageError(`an object in ${out} is called ${name} already: ${remedy}`);
    return;
  }
  const servers = files.flatMap(({ found }) => found.servers).filter(({ outcome }) => outcome.type !== 'off');
  const others = servers.filter(server => !isExisting(server, existing)).map(server => server.name);
  const added = existing.groups.includes(name) ? `--into ${name} adds what is new:` : 'new is';
  const newServers =
    others.length === 0
      ? `no server of ${files.map(({ file }) => file).join(', ')} is new`
      : `${added} ${formatList(others)}`;
  throw new UsageError(
    `${specs} exists already and stays as it is; ${newServers}; to write all of them once more, ${remedy}`,
  );
}

/** @throws UsageError for a group that the specs do not have */
function requireGroup(into: string, { groups }: ExistingSpecs, out: string): void {
  if (groups.includes(into)) return;
  const near = findNearest(into, groups);
  const hint = near !== undefined ? `; did you mean ${near}?` : groups.length > 0 ? `, but ${formatList(groups)}` : '';
  throw new UsageError(`--into ${into}: ${out} has no MCPGroup of this name${hint}`);
}

function freeFile(out: string, group: string): string {
  for (let number = 2; ; number += 1) {
    const file = join(out, `${group}-${number}.yaml`);
    if (!existsSync(file)) return file;
  }
}

async function write(
  plan: ImportPlan,
  specs: string,
  name: string,
  found: readonly FoundFile[],
  out: string,
): Promise<readonly string[]> {
  const forms = [...new Set(found.map(file => file.found.form))].join(', ');
  const servers = plan.carried.map(({ server }) => server);
  const { group, objects } = plan;
  const texts = [
    ...(servers.length > 0
      ? [
          group === undefined
            ? formatSpecs({ name, description: `Imported from ${forms}.`, servers })
            : formatServers(servers, group),
        ]
      : []),
    ...(objects.length > 0 ? [formatObjects(objects)] : []),
  ];
  const text = texts.join('---\n');
  // Only specs that Lintel generated have to be without errors. Objects from the files may have findings, which the report or `lintel check` lists.
  const [error] = objects.length > 0 ? [] : findErrors(group === undefined ? text : withGroup(text, group));
  if (error !== undefined) throw new Error(`what would be written has an error: ${error.code} ${error.message}`);
  const before = readOwnText(ENV_EXAMPLE);
  const example = formatEnvExample(plan, before);
  const files = new Map([[specs, text]]);
  if (example !== before) files.set(ENV_EXAMPLE, example);
  // The new configuration names the folder of the specs. It cannot name a folder outside of the working directory.
  const isInside = !isAbsolute(out) && !normalize(out).startsWith('..');
  if (isInside && findProjectFile([], process.cwd()) === undefined) files.set(PROJECT_FILE, formatProject(out));
  if (!existsSync('.gitignore')) files.set('.gitignore', IGNORE_TEXT);
  for (const [file, content] of files) await writeOutput(file, content);
  return [...files.keys()];
}

/** Adds the existing group of another file, so that the text can be compiled alone. */
function withGroup(text: string, name: string): string {
  return `${text}---\n${JSON.stringify({ apiVersion: API_VERSION, kind: 'MCPGroup', metadata: { name }, spec: {} })}\n`;
}

/** Whether commands read the file when no path is given. */
function isSource(file: string): boolean {
  const cwd = process.cwd();
  try {
    return findSources([], loadProject(undefined, cwd), cwd).files.some(({ absolute }) => absolute === resolve(file));
  } catch {
    return false;
  }
}

interface ImportTarget {
  readonly out: string;
  readonly specs: string;
  /** The name of the new gateway; undefined when the servers join an existing gateway. */
  readonly gateway: string | undefined;
}

function formatStepsAfter(
  plan: ImportPlan,
  { listing, gateways }: ExistingSpecs,
  { out, specs, gateway }: ImportTarget,
): string {
  const names = plan.carried.map(({ server }) => server.name);
  const unlisted = listing.filter(({ group }) => group === plan.group);
  const { steps, option } = listSecretSteps(plan, readOwnText('.gitignore'), existsSync('.env'));
  const paths = isSource(specs) ? '' : ` ${out}`;
  const choice = gateway === undefined || gateways.length === 0 ? '' : ` --gateway ${gateway}`;
  const found = plan.objects.length > 0 ? 'finds what is left to do' : 'finds what is wrong, as CI does';
  const all: readonly Step[] = [
    ...unlisted.map(
      ({ gateway }): Step => [
        `add ${formatList(names)} to aggregation.tools of ${gateway}`,
        'until then it shows none of their tools',
      ],
    ),
    ...steps,
    [`${getOwnCommand()} check${paths}`, found],
    [`${getOwnCommand()} lock${paths}${option}`, 'asks the servers what they offer, and writes it down'],
    [`${getOwnCommand()} dev${paths}${choice}${option}`, 'serves the gateway, and follows your changes'],
    [`${getOwnCommand()} connect claude --write`, 'shows it to a client: claude, cursor, vscode, codex and others'],
  ];
  return formatNextSteps(all, findTerminalColumns(process.stdout));
}
