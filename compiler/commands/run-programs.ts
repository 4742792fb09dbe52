import { resolve } from 'node:path';
import type { Project } from '../lint/index.ts';
import type { ProgramOptions } from '../program/run-program.ts';
import { findSources, type ProgramOutcome } from '../project/index.ts';
import { isProgram } from '../source/is-program.ts';
import { durationMs } from '../text/duration.ts';

/** What commands take about programs. */
export interface ProgramArguments {
  /** True when not given. */
  readonly typecheck?: boolean;
  readonly allowNetwork?: boolean;
  /** Names of environment variables that programs get. */
  readonly env?: readonly string[];
  /** See `ProgramOptions`. */
  readonly isUnlocked?: boolean;
  /** Time for one program, in milliseconds. */
  readonly synthTimeout?: number;
  /** Ends programs early. */
  readonly signal?: AbortSignal;
  /** Called with the files of a program, absolute, as soon as they are known. */
  readonly onProgramFiles?: (files: readonly string[]) => void;
}

/** What programs came to. */
export interface Programs {
  /** By absolute path. */
  readonly outcomes: ReadonlyMap<string, ProgramOutcome>;
  /** Their own files, absolute. */
  readonly files: readonly string[];
}

/** The options of a command that are about programs. */
export function programArguments({ typecheck, allowNetwork, env, synthTimeout }: ProgramArguments): ProgramArguments {
  return {
    ...(typecheck !== undefined && { typecheck }),
    ...(allowNetwork !== undefined && { allowNetwork }),
    ...(env !== undefined && { env }),
    ...(synthTimeout !== undefined && { synthTimeout }),
  };
}

/** What a call says about programs counts more than what the project does; variables of both are passed. */
export function programOptions(options: ProgramArguments, { programs }: Pick<Project, 'programs'>): ProgramOptions {
  const { timeout, memory, network, env = [] } = programs;
  const deadlineMs = options.synthTimeout ?? (timeout === undefined ? undefined : durationMs(timeout));
  return {
    cwd: process.cwd(),
    typecheck: options.typecheck ?? true,
    allowNetwork: options.allowNetwork ?? network ?? false,
    environment: [...new Set([...env, ...(options.env ?? [])])],
    limits: {
      ...(deadlineMs !== undefined && { deadlineMs }),
      ...(memory !== undefined && { maxHeapMegabytes: memory }),
    },
    isUnlocked: options.isUnlocked,
    signal: options.signal,
    onInputs: options.onProgramFiles,
  };
}

/** Runs the programs among the sources of a command. @throws UsageError as `findSources`, and AbortError when `signal` ends it */
export async function runPrograms(
  paths: readonly string[],
  project: Project,
  options: ProgramArguments,
): Promise<Programs> {
  const outcomes = new Map<string, ProgramOutcome>();
  const files: string[] = [];
  for (const { path, absolute } of findSources(paths, project, process.cwd()).files) {
    if (absolute === null || !isProgram(path)) continue;
    // Loaded by those who have programs only: it costs the others time.
    const { runProgram } = await import('../program/run-program.ts');
    const { outcome, inputs } = await runProgram(absolute, path, programOptions(options, project));
    outcomes.set(absolute, outcome);
    files.push(...inputs.map(input => resolve(input)));
  }
  return { outcomes, files };
}
