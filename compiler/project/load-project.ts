import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { FILE_SCHEMAS, LOCK_FILE, type ProjectFile } from '#schemas';
import { DEFAULT_LINT_OPTIONS, type Project } from '../lint/index.ts';
import { reportUnreadable } from '../source/decode.ts';
import { findEscape } from '../source/path-escape.ts';
import { UsageError } from '../usage-error.ts';
import { BASELINE_FILE, readBaseline } from './baseline-file.ts';
import { checkProject } from './check-project.ts';
import { ConfigurationError } from './configuration-error.ts';
import { readConfigurationFile } from './configuration-file.ts';
import { findProjectFile } from './find-project-file.ts';

/** The configuration to use: a file, `false` for none, or by default the nearest. */
export type ConfigOption = string | false | undefined;

/**
 * The project of a command's paths, otherwise of the working directory.
 *
 * @param confinedTo an untrusted folder, such as the controller's checkout: nothing above it is searched, and no file or link target outside of
 * it is read
 * @throws UsageError when the named file does not exist, and when two paths belong to different projects
 * @throws ConfigurationError when the configuration or the baseline is invalid or outside of `confinedTo`
 */
export function loadProject(
  config: ConfigOption,
  cwd: string,
  paths: readonly string[] = [],
  confinedTo?: string,
): Project {
  if (config === false) return resolveProject({}, undefined, cwd, cwd, confinedTo);
  const file = config === undefined ? findProjectFile(paths, cwd, confinedTo) : resolveNamed(config, cwd);
  if (file === undefined) return resolveProject({}, undefined, cwd, cwd, confinedTo);
  const shown = show(file, cwd, config !== undefined && isAbsolute(config));
  refuseOutside(file, shown, confinedTo);
  const { source, document } = readConfigurationFile(file, shown, FILE_SCHEMAS.ProjectFile);
  const meaning = document && checkProject(document);
  if (meaning?.diagnostics.some(({ severity }) => severity === 'error'))
    throw new ConfigurationError(shown, meaning.diagnostics, [source]);
  const project = resolveProject((document?.value ?? {}) as ProjectFile, shown, dirname(file), cwd, confinedTo);
  return { ...project, ...meaning, texts: [source, ...project.texts] };
}

function resolveNamed(config: string, cwd: string): string {
  const file = resolve(cwd, config);
  if (!existsSync(file)) throw new UsageError(`no such configuration file: ${config}`);
  return file;
}

/** @param folder that paths are relative to */
function resolveProject(
  projectFile: ProjectFile,
  file: string | undefined,
  folder: string,
  cwd: string,
  confinedTo: string | undefined,
): Project {
  const { sources, exclude = [], apiGroups = [], failOn = 'error', budgets = {}, programs = {} } = projectFile;
  const baselineFile = resolve(folder, projectFile.baseline ?? BASELINE_FILE);
  const shown = show(baselineFile, cwd, false);
  refuseOutside(baselineFile, shown, confinedTo);
  const read = readBaseline(baselineFile, shown, cwd, confinedTo);
  return {
    ...DEFAULT_LINT_OPTIONS,
    file,
    folder,
    sources,
    exclude,
    apiGroups,
    failOn,
    baselineFile: shown,
    baseline: read?.baseline,
    catalogFile: show(resolve(folder, projectFile.catalog ?? LOCK_FILE), cwd, false),
    isCatalogNamed: projectFile.catalog !== undefined,
    budgets,
    programs,
    documentation: projectFile.documentation,
    denial: projectFile.denyPrivateBackends === true ? { except: projectFile.privateBackends ?? [] } : undefined,
    // `loadProject` replaces this by the clients whose names `checkProject` has validated.
    clients: [],
    texts: read === undefined ? [] : [read.source],
  };
}

function refuseOutside(absolute: string, shown: string, confinedTo: string | undefined): void {
  const refusal = findEscape(absolute, confinedTo);
  if (refusal !== undefined) throw new ConfigurationError(shown, [reportUnreadable(shown, refusal)], []);
}

/** The path of a file as messages show it: in the same form as the paths of sources. */
function show(absolute: string, cwd: string, isAbsolute: boolean): string {
  return (isAbsolute ? absolute : relative(cwd, absolute)).replaceAll(sep, '/');
}
