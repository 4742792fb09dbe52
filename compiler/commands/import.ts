/** `lintel import`: from the configuration of another program to the specs of a gateway. */

import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, normalize, resolve } from 'node:path';
import { getMember } from '#schemas';
import {
  envExample,
  type FoundFile,
  IMPORT_RENDERERS,
  type ImportFormat,
  type ImportPlan,
  objectsText,
  planImport,
  readImportedFile,
  secretSteps,
  withErrors,
} from '../import/index.ts';
import { findProjectFile, findSources, loadProject, PROJECT_FILE } from '../project/index.ts';
import { findFiles } from '../source/find-files.ts';
import { readSources } from '../source/read-sources.ts';
import { nextSteps, type Step } from '../starter/next-steps.ts';
import { toObjectName } from '../starter/object-name.ts';
import { ENV_EXAMPLE, IGNORE_TEXT, projectText } from '../starter/project-files.ts';
import { findErrors } from '../starter/server-problem.ts';
import { serversText, specsText } from '../starter/specs-text.ts';
import { nearest } from '../text/nearest.ts';
import { UsageError } from '../usage-error.ts';
import { writeOutput } from './outputs.ts';

export interface ImportOptions {
  /** Folder of the specs. */
  readonly out: string;
  /** The name of the gateway. */
  readonly name: string;
  /** Write what can be carried over, and leave the rest out. */
  readonly partial?: boolean;
  /** The only servers that are imported, as the files call them; undefined for all. */
  readonly only?: readonly string[];
  /** Names of values that are no secrets even where they look like one. */
  readonly plain?: readonly string[];
  readonly format: ImportFormat;
}

/**
 * Writes the specs of a gateway with the servers of the files, a `.env.example` with the variables that it needs, and a `lintel.yaml` and a
 * `.gitignore` where there is none. Returns the exit code: 1 where something cannot be carried over, and then nothing is written, unless `partial` leaves it out.
 *
 * @throws UsageError for a file that is not understood, and for a gateway that is there
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<number> {
  const { out, name, partial = false, plain = [], only, format } = options;
  if (toObjectName(name, '') !== name)
    throw new UsageError(
      '--name: a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters',
    );
  const all = paths.flatMap(file => readImportedFile(file).map((found): FoundFile => ({ file, found })));
  const files = only === undefined ? all : chosen(all, only);
  const specs = join(out, `${name}.yaml`);
  const taken = namesIn(out);
  if (existsSync(specs))
    throw new UsageError(`${specs} exists already: give the gateway another --name, or move the file away`);
  if (taken.has(name))
    throw new UsageError(`an object in ${out} is called ${name} already: give the gateway another --name`);
  const plan = withErrors(planImport(files, { taken: new Set([...taken, name]), plain: new Set(plain) }));
  const isEmpty = plan.carried.length === 0 && plan.objects.length === 0;
  const isWhole = plan.notCarried.length === 0;
  const written = !isEmpty && (isWhole || partial) ? await write(plan, specs, name, files, out) : [];
  const shown = files.map(({ file, found }) => ({ file, form: found.form }));
  const report = { ...plan, files: shown, gateway: name, written };
  process.stdout.write(IMPORT_RENDERERS[format](report, process.stdout.columns));
  if (written.length > 0) {
    if (format === 'text') process.stdout.write(stepsAfter(plan, out, specs));
    return 0;
  }
  const reason = isEmpty
    ? 'there is no server that can be carried over'
    : 'not everything can be carried over: --partial leaves the rest out';
  process.stderr.write(`lintel: nothing was written: ${reason}\n`);
  return 1;
}

/** @throws UsageError for a server that no file has */
function chosen(files: readonly FoundFile[], only: readonly string[]): readonly FoundFile[] {
  const names = new Set(files.flatMap(({ found }) => found.servers.map(({ name }) => name)));
  const missing = only.find(name => !names.has(name));
  const near = missing === undefined ? undefined : nearest(missing, [...names]);
  if (missing !== undefined)
    throw new UsageError(
      `--only ${missing}: no file has a server of this name${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  return files.map(({ file, found }) => ({
    file,
    found: { ...found, servers: found.servers.filter(({ name }) => only.includes(name)) },
  }));
}

async function write(
  plan: ImportPlan,
  specs: string,
  name: string,
  found: readonly FoundFile[],
  out: string,
): Promise<readonly string[]> {
  const forms = [...new Set(found.map(one => one.found.form))].join(', ');
  const servers = plan.carried.map(({ server }) => server);
  const { group, objects } = plan;
  const texts = [
    ...(servers.length > 0
      ? [
          group === undefined
            ? specsText({ name, description: `Imported from ${forms}.`, servers })
            : serversText(servers, group),
        ]
      : []),
    ...(objects.length > 0 ? [objectsText(objects)] : []),
  ];
  const text = texts.join('---\n');
  // Objects may have findings: the report lists them, or `lintel check` does.
  const [error] = objects.length > 0 ? [] : findErrors(text);
  if (error !== undefined) throw new Error(`what would be written has an error: ${error.code} ${error.message}`);
  const before = existsSync(ENV_EXAMPLE) ? readFileSync(ENV_EXAMPLE, 'utf8') : '';
  const example = envExample(plan, before);
  const files = new Map([[specs, text]]);
  if (example !== before) files.set(ENV_EXAMPLE, example);
  // Without it no command but this one would find the specs.
  const isInside = !isAbsolute(out) && !normalize(out).startsWith('..');
  if (isInside && findProjectFile([], process.cwd()) === undefined) files.set(PROJECT_FILE, projectText(out));
  if (!existsSync('.gitignore')) files.set('.gitignore', IGNORE_TEXT);
  for (const [file, content] of files) await writeOutput(file, content);
  return [...files.keys()];
}

/** Whether commands read it when no path is given. */
function isSource(file: string): boolean {
  const cwd = process.cwd();
  try {
    return findSources([], loadProject(undefined, cwd), cwd).files.some(({ absolute }) => absolute === resolve(file));
  } catch {
    return false;
  }
}

function stepsAfter(plan: ImportPlan, out: string, specs: string): string {
  const { steps, option } = secretSteps(plan, readFileSync('.gitignore', 'utf8'));
  const paths = isSource(specs) ? '' : ` ${out}`;
  const found = plan.objects.length > 0 ? 'finds what is left to do' : 'finds what is wrong, as CI does';
  const all: readonly Step[] = [
    ...steps,
    [`npx lintel check${paths}`, found],
    [`npx lintel lock${paths}${option}`, 'asks the servers what they offer, and writes it down'],
    [`npx lintel dev${paths}${option}`, 'serves the gateway, and follows your changes'],
    ['npx lintel connect claude --write', 'shows it to a client: claude, cursor, vscode, codex and others'],
  ];
  return nextSteps(all, process.stdout.columns);
}

/** Names of objects of any kind: a new object gets another name. */
function namesIn(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  const { files } = findFiles([folder], { cwd: process.cwd() });
  const { documents } = readSources(files, () => undefined);
  const names = documents.flatMap(({ value }) => {
    const name = getMember(getMember(value, 'metadata'), 'name');
    return typeof name === 'string' ? [name] : [];
  });
  return new Set(names);
}
