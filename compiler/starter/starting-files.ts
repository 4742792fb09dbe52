/** The initial files of a repository of specs. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../project/index.ts';
import { type Forge, findCiPath, formatCiFile } from './ci-file.ts';
import { ENV_EXAMPLE, formatProject, GATEWAY_FILE, IGNORE_TEXT, listNotIgnored, SPECS } from './project-files.ts';
import { formatSpecs } from './specs-text.ts';
import type { StarterServer } from './starter-server.ts';

export interface Start {
  /** The name of the gateway. */
  readonly name: string;
  /** A one-sentence description of the server group. */
  readonly description: string;
  readonly servers: readonly StarterServer[];
  /** The text of `.env.example`; undefined when no server has a secret. */
  readonly environment: string | undefined;
  /** Undefined for no CI check. */
  readonly forge: Forge | undefined;
}

/** A file that is written unless it exists. */
export interface StartingFile {
  /** Relative to the repository's folder; an existing folder also prevents the file. */
  readonly path: string;
  readonly text: string;
  /** What an operator should know when the file exists already. */
  readonly remark: (existing: string) => string;
}

export function listStartingFiles(folder: string, start: Start): readonly StartingFile[] {
  const { environment, forge } = start;
  const nothing = () => '';
  // Next to other specs the default name might already be taken.
  const path = hasEntries(join(folder, SPECS)) ? SPECS : GATEWAY_FILE;
  return [
    { path, text: formatSpecs(start), remark: nothing },
    ...(environment === undefined
      ? []
      : [
          {
            path: ENV_EXAMPLE,
            text: environment,
            remark: (existing: string) => formatMissingVariables(environment, existing),
          },
        ]),
    { path: PROJECT_FILE, text: formatProject(SPECS), remark: nothing },
    { path: '.gitignore', text: IGNORE_TEXT, remark: formatMissingPatterns },
    ...(forge === undefined ? [] : [{ path: findCiPath(forge, folder), text: formatCiFile(forge), remark: nothing }]),
  ];
}

function formatMissingVariables(required: string, existing: string): string {
  const has = new Set(listVariables(existing));
  const missing = listVariables(required).filter(name => !has.has(name));
  return missing.length === 0 ? '' : `; it does not have ${missing.join(', ')}`;
}

function listVariables(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)].flatMap(([, name]) => name ?? []);
}

function formatMissingPatterns(existing: string): string {
  const missing = listNotIgnored(existing);
  return missing.length === 0 ? '' : `; it does not have ${missing.join(', ')}`;
}

export function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
