/** The initial files of a repository of specs. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../project/index.ts';
import { CI_PATHS, ciFile, type Forge } from './ci-file.ts';
import { ENV_EXAMPLE, GATEWAY_FILE, IGNORE_TEXT, notIgnored, projectText, SPECS } from './project-files.ts';
import { specsText } from './specs-text.ts';
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

export function startingFiles(folder: string, start: Start): readonly StartingFile[] {
  const { environment, forge } = start;
  const nothing = () => '';
  // Next to other specs the default name might already be taken.
  const path = hasEntries(join(folder, SPECS)) ? SPECS : GATEWAY_FILE;
  return [
    { path, text: specsText(start), remark: nothing },
    ...(environment === undefined
      ? []
      : [
          {
            path: ENV_EXAMPLE,
            text: environment,
            remark: (existing: string) => missingVariables(environment, existing),
          },
        ]),
    { path: PROJECT_FILE, text: projectText(SPECS), remark: nothing },
    { path: '.gitignore', text: IGNORE_TEXT, remark: missingPatterns },
    ...(forge === undefined ? [] : [{ path: CI_PATHS[forge], text: ciFile(forge), remark: nothing }]),
  ];
}

function missingVariables(wanted: string, existing: string): string {
  const has = new Set(variablesIn(existing));
  const missing = variablesIn(wanted).filter(name => !has.has(name));
  return missing.length === 0 ? '' : `; it does not have ${missing.join(', ')}`;
}

function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)].flatMap(([, name]) => name ?? []);
}

function missingPatterns(existing: string): string {
  const missing = notIgnored(existing);
  return missing.length === 0 ? '' : `; it does not have ${missing.join(', ')}`;
}

export function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
