import { resolve } from 'node:path';
import { findSources } from '../project/find-sources.ts';
import type { ProgramOutcome } from '../project/program-outcome.ts';
import type { Project } from '../project/project.ts';
import { isProgram } from '../source/is-program.ts';

/** What commands take about programs. */
export interface ProgramArguments {
  /** True when not given. */
  readonly typecheck?: boolean;
  readonly allowNetwork?: boolean;
  /** Names of environment variables that programs get. */
  readonly env?: readonly string[];
  /** See `ProgramOptions`. */
  readonly isUnheard?: boolean;
  /** Time for one program, in milliseconds. */
  readonly synthTimeout?: number;
  /** Ends programs early. */
  readonly signal?: AbortSignal;
  /** Told the files of a program, absolute, as soon as they are known. */
  readonly onProgramFiles?: (files: readonly string[]) => void;
}

/** What programs came to. */
export interface Programs {
  /** By absolute path. */
  readonly outcomes: ReadonlyMap<string, ProgramOutcome>;
  /** Their own files, absolute. */
  readonly files: readonly string[];
}

/** Of the options of a command those that are about programs. */
export function programArguments({ typecheck, allowNetwork, env, synthTimeout }: ProgramArguments): ProgramArguments {
  return {
    ...(typecheck !== undefined && { typecheck }),
    ...(allowNetwork !== undefined && { allowNetwork }),
    ...(env !== undefined && { env }),
    ...(synthTimeout !== undefined && { synthTimeout }),
  };
}

/** Runs the programs among the sources of a command. @throws UsageError as `findSources`, and AbortError when `signal` ends it */
export async function runPrograms(
  paths: readonly string[],
  project: Project,
  options: ProgramArguments,
): Promise<Programs> {
  const cwd = process.cwd();
  const outcomes = new Map<string, ProgramOutcome>();
  const files: string[] = [];
  for (const { path, absolute } of findSources(paths, project, cwd).files) {
    if (absolute === null || !isProgram(path)) continue;
    // Loaded by those who have programs only: it costs the others time.
    const { runProgram } = await import('../program/run-program.ts');
    const { outcome, inputs } = await runProgram(absolute, path, {
      cwd,
      typecheck: options.typecheck ?? true,
      allowNetwork: options.allowNetwork ?? false,
      environment: options.env ?? [],
      limits: options.synthTimeout === undefined ? {} : { deadlineMs: options.synthTimeout },
      isUnheard: options.isUnheard,
      signal: options.signal,
      onInputs: options.onProgramFiles,
    });
    outcomes.set(absolute, outcome);
    files.push(...inputs.map(input => resolve(input)));
  }
  return { outcomes, files };
}
