/** `lintel import`: from the configuration of another program to the specs of a gateway. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memberOf } from '#schemas';
import { nearest } from '../check/nearest.ts';
import { readFound } from '../import/detect.ts';
import { envExample } from '../import/env-example.ts';
import { type FoundFile, type ImportPlan, planImport } from '../import/plan.ts';
import { IMPORT_RENDERERS, type ImportFormat } from '../import/render.ts';
import { findFiles } from '../source/find-files.ts';
import { readSources } from '../source/read-sources.ts';
import { objectNameOf } from '../starter/object-name.ts';
import { errorsOf } from '../starter/server-problem.ts';
import { specsText } from '../starter/specs-text.ts';
import { UsageError } from '../usage-error.ts';
import { writeOutput } from './outputs.ts';

export interface ImportOptions {
  /** Folder of the specs. */
  readonly out: string;
  /** Of the gateway. */
  readonly name: string;
  /** Write what can be carried over, and leave the rest out. */
  readonly partial?: boolean;
  /** The only servers that are imported, as the files call them; undefined for all. */
  readonly only?: readonly string[];
  /** Names of values that are no secrets even where they look like one. */
  readonly plain?: readonly string[];
  readonly format: ImportFormat;
}

const ENV_EXAMPLE = '.env.example';

/**
 * Writes the specs of a gateway with the servers of the files, and a `.env.example` with the variables that it needs. Returns the exit
 * code: 1 where something cannot be carried over, and then nothing is written, unless `partial` leaves it out.
 *
 * @throws UsageError for a file that is not understood, and for a gateway that is there
 */
export async function importFiles(paths: readonly string[], options: ImportOptions): Promise<number> {
  const { out, name, partial = false, plain = [], only, format } = options;
  if (objectNameOf(name, '') !== name)
    throw new UsageError(
      '--name: a name has small letters, digits and hyphens, begins with a letter, and is no longer than 40 characters',
    );
  const all = paths.flatMap(file => readFound(file).map((found): FoundFile => ({ file, found })));
  const files = only === undefined ? all : chosen(all, only);
  const specs = join(out, `${name}.yaml`);
  const taken = namesIn(out);
  if (existsSync(specs)) throw new UsageError(`${specs} exists already: give the gateway another --name`);
  if (taken.has(name))
    throw new UsageError(`an object in ${out} is called ${name} already: give the gateway another --name`);
  const plan = planImport(files, { taken: new Set([...taken, name]), plain: new Set(plain) });
  const isWhole = plan.notCarried.length === 0;
  const written = plan.carried.length > 0 && (isWhole || partial) ? await write(plan, specs, name, files) : [];
  const shown = files.map(({ file, found }) => ({ file, form: found.form }));
  process.stdout.write(IMPORT_RENDERERS[format]({ ...plan, files: shown, gateway: name, written }));
  if (written.length > 0) return 0;
  const reason =
    plan.carried.length === 0
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
  files: readonly FoundFile[],
): Promise<readonly string[]> {
  const forms = [...new Set(files.map(({ found }) => found.form))].join(', ');
  const servers = plan.carried.map(({ server }) => server);
  const text = specsText({ name, description: `Imported from ${forms}.`, servers });
  const [error] = errorsOf(text);
  if (error !== undefined) throw new Error(`what would be written has an error: ${error.code} ${error.message}`);
  const before = existsSync(ENV_EXAMPLE) ? readFileSync(ENV_EXAMPLE, 'utf8') : '';
  const example = envExample(plan.carried, before);
  await writeOutput(specs, text);
  if (example === before) return [specs];
  await writeOutput(ENV_EXAMPLE, example);
  return [specs, ENV_EXAMPLE];
}

/** Names of objects of any kind: a new object gets another name. */
function namesIn(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  const { files } = findFiles([folder], { cwd: process.cwd() });
  const { documents } = readSources(files, () => undefined);
  const names = documents.flatMap(({ value }) => {
    const name = memberOf(memberOf(value, 'metadata'), 'name');
    return typeof name === 'string' ? [name] : [];
  });
  return new Set(names);
}
