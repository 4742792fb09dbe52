/** `lintel completion`: completions for `lintel` in a shell. */
import type { Command } from 'commander';
import { getMember } from '#schemas';
import { formatBashCompletion } from '../completion/bash.ts';
import { listCommandWords } from '../completion/command-words.ts';
import { formatFishCompletion } from '../completion/fish.ts';
import { formatZshCompletion } from '../completion/zsh.ts';
import { findSources, loadProject } from '../project/index.ts';
import { isProgram } from '../source/is-program.ts';
import { readSources } from '../source/read-sources.ts';
import { UsageError } from '../usage-error.ts';

const SCRIPTS = { bash: formatBashCompletion, zsh: formatZshCompletion, fish: formatFishCompletion } as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** Prints the completion script of a shell. Returns the exit code. */
export function completion(program: Command, shell: Shell): number {
  process.stdout.write(SCRIPTS[shell](listCommandWords(program)));
  return 0;
}

/** Prints the names of gateways or registry servers in the current sources, one per line. Runs no programs and ignores mistakes. */
export function completeNames(kind: 'gateway' | 'registry'): number {
  const cwd = process.cwd();
  const names = new Set<string>();
  try {
    const project = loadProject(undefined, cwd);
    const { files } = findSources(project.sources === undefined ? ['.'] : [], project, cwd);
    const { documents } = readSources(
      files.filter(({ path }) => !isProgram(path)),
      () => undefined,
    );
    for (const { value } of documents) {
      const name = getMember(getMember(value, 'metadata'), 'name');
      if (getMember(value, 'kind') === KINDS[kind] && typeof name === 'string') names.add(name);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  process.stdout.write([...names].map(name => `${name}\n`).join(''));
  return 0;
}

const KINDS = { gateway: 'VirtualMCPServer', registry: 'MCPRegistry' } as const;
