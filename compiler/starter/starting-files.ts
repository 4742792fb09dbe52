/** What a repository of specs starts with. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../project/find-project-file.ts';
import { CI_PATHS, ciFile, type Forge } from './ci-file.ts';
import { GATEWAY_FILE, IGNORE_TEXT, notIgnored, projectText, SPECS } from './project-files.ts';
import { specsText } from './specs-text.ts';
import type { StarterServer } from './starter-server.ts';

export interface Start {
  /** Of the gateway. */
  readonly name: string;
  readonly server: StarterServer;
  /** Undefined for no check in CI. */
  readonly forge: Forge | undefined;
}

/** A file that is written where there is none. */
export interface StartingFile {
  /** From the folder of the repository; a folder that is there is no place for a file either. */
  readonly path: string;
  readonly text: string;
  /** What an operator may want to know of the file that is there instead. */
  readonly remark: (existing: string) => string;
}

export function startingFiles(folder: string, { name, server, forge }: Start): readonly StartingFile[] {
  const nothing = () => '';
  // Next to other specs a new gateway may have the name of one of theirs.
  const path = hasEntries(join(folder, SPECS)) ? SPECS : GATEWAY_FILE;
  const specs = specsText({ name, description: 'The servers behind the gateway.', servers: [server] });
  return [
    { path, text: specs, remark: nothing },
    { path: PROJECT_FILE, text: projectText(SPECS), remark: nothing },
    { path: '.gitignore', text: IGNORE_TEXT, remark: missingPatterns },
    ...(forge === undefined ? [] : [{ path: CI_PATHS[forge], text: ciFile(forge), remark: nothing }]),
  ];
}

function missingPatterns(existing: string): string {
  const missing = notIgnored(existing);
  return missing.length === 0 ? '' : `; it does not have ${missing.join(', ')}`;
}

function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
