import { resolve } from 'node:path';
import type { Project } from '../lint/index.ts';
import type { ProgramOptions } from '../program/run-program.ts';
import { findSources, type ProgramOutcome } from '../project/index.ts';
import { isProgram } from '../source/is-program.ts';
import { parseDurationMs } from '../text/duration.ts';

/** Options of commands that run programs. */
export interface ProgramArguments {
  /** Whether programs are type-checked. Default: true. */
  readonly typecheck?: boolean;
  readonly allowNetwork?: boolean;
  /** Names of environment variables that programs get. */
  readonly env?: readonly string[];
  /** Tool types count as unknown, because no backend was queried yet. */
  readonly isUnlocked?: boolean;
  /** Timeout of one program, in milliseconds. */
  readonly synthTimeout?: number;
  /** Aborts programs. */
  readonly signal?: AbortSignal;
  /** Called with a program's files, as absolute paths, as soon as they are known. */
  readonly onProgramFiles?: (files: readonly string[]) => void;
}

/** The outcomes of programs. */
export interface Programs {
  /** Outcomes, by the absolute path of the program. */
  readonly outcomes: ReadonlyMap<string, ProgramOutcome>;
  /** The programs' own files, as absolute paths. */
  readonly files: readonly string[];
}

/** The options of a command that concern programs. */
export function toProgramArguments({ typecheck, allowNetwork, env, synthTimeout }: ProgramArguments): ProgramArguments {
  return {
    ...(typecheck !== undefined && { typecheck }),
    ...(allowNetwork !== undefined && { allowNetwork }),
    ...(env !== undefined && { env }),
    ...(synthTimeout !== undefined && { synthTimeout }),
  };
}

/** The options for running programs. Options of the command take precedence over the project's settings; variables of both are passed. */
export function toProgramOptions(options: ProgramArguments, { programs }: Pick<Project, 'programs'>): ProgramOptions {
  const { timeout, memory, network, env = [] } = programs;
  const deadlineMs = options.synthTimeout ?? (timeout === undefined ? undefined : parseDurationMs(timeout));
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

/**
 * Runs the programs among a command's sources.
 * @throws UsageError as `findSources`, and AbortError when `signal` aborts it
 */
export async function runPrograms(
  paths: readonly string[],
  project: Project,
  options: ProgramArguments,
): Promise<Programs> {
  const outcomes = new Map<string, ProgramOutcome>();
  const files: string[] = [];
  for (const { path, absolute } of findSources(paths, project, process.cwd()).files) {
    if (absolute === null || !isProgram(path)) continue;
    // Loaded only when there are programs, because loading it slows the start.
    const { runProgram } = await import('../program/run-program.ts');
    const { outcome, inputs } = await runProgram(absolute, path, toProgramOptions(options, project));
    outcomes.set(absolute, outcome);
    files.push(...inputs.map(input => resolve(input)));
  }
  return { outcomes, files };
}
