/** Runs a program: bundles and type-checks it in parallel, then executes it in a separate process. */

import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { IS_EXECUTABLE } from '../package-files.ts';
import type { ProgramOutcome } from '../project/index.ts';
import { bundleProgram } from './bundle.ts';
import { BundlePositions } from './bundle-positions.ts';
import { checkTypes } from './check-types.ts';
import type { Note } from './child/exchange.ts';
import { findDuplicatePackages } from './duplicate-packages.ts';
import { ProgramFindings } from './findings.ts';
import { createPartLocator, toProgramSources } from './locations/index.ts';
import { createOutsideCheck } from './outside-check.ts';
import { findPeerFile, findProjectFolder } from './peer-dependencies.ts';
import { ProgramTexts } from './program-texts.ts';
import { listReadablePaths } from './readable-paths.ts';
import { DEFAULT_RUN_LIMITS, type EndedRun, type RunLimits, runProcess } from './run-process.ts';
import type { SynthesizedProgram } from './synthesized.ts';
import { findNearestConfig } from './typescript-config.ts';
import { CAN_WATCH_MEMORY, limitTotalMemory } from './watch-memory.ts';

export interface ProgramOptions {
  /** The absolute folder that displayed paths are relative to. */
  readonly cwd: string;
  readonly typecheck: boolean;
  readonly allowNetwork: boolean;
  /** Tool types count as unknown, because no backend was queried yet. */
  readonly isUnlocked?: boolean | undefined;
  /** Names of environment variables that programs get; all others are hidden. */
  readonly environment: readonly string[];
  readonly limits?: Partial<RunLimits>;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /** Called with `inputs` as soon as they are known, before the program ends, if it ever does. */
  readonly onInputs?: ((files: readonly string[]) => void) | undefined;
}

/** The outcome of a program. */
export interface RanProgram {
  readonly outcome: ProgramOutcome;
  /** The result of the program; undefined when an error prevents reading it. */
  readonly synthesized: SynthesizedProgram | undefined;
  /** Files to watch, absolute: the program's files, as far as known. */
  readonly inputs: readonly string[];
}

/** The errors that leave the program's output unknown, so neither "clean" nor "wrong" would be true. */
const UNKNOWN: readonly DiagnosticCode[] = ['LNT1017', 'LNT1018', 'LNT1074', 'LNT1076', 'LNT1085', 'LNT1093'];

/** The factor by which type checking may take longer than a run, because it reads many more files. */
const TYPES_TAKE = 4;

/** 1980-01-01, the earliest date in archives, which reproducible builds use. */
const DEFAULT_NOW = Date.UTC(1980, 0, 1);

/**
 * Runs a program. Its mistakes become findings.
 *
 * @param entry absolute
 * @param shown as the user named it
 * @throws AbortError when the signal of the options ends it
 */
export async function runProgram(entry: string, shown: string, options: ProgramOptions): Promise<RanProgram> {
  const { cwd, allowNetwork, signal } = options;
  const limits = { ...DEFAULT_RUN_LIMITS, ...options.limits };
  const file = realpathSync(entry);
  const folder = findProjectFolder(dirname(file));
  const texts = new ProgramTexts(cwd, file, shown);
  const environment = readEnvironment(options.environment);
  const failed = (diagnostics: readonly Diagnostic[], inputs: readonly string[] = [file]): RanProgram => {
    // Loads the text for the code frame.
    texts.getText(file);
    const complete = !diagnostics.some(({ code }) => UNKNOWN.includes(code));
    const outcome = { documents: [], diagnostics, texts: texts.texts, complete };
    return { outcome, synthesized: undefined, inputs };
  };

  const before = new ProgramFindings(texts, undefined, folder, environment);
  if (IS_EXECUTABLE) return failed([before.needsPackage()]);
  const missing = ['cdk8s', 'constructs'].filter(name => findPeerFile(name, dirname(file)) === undefined);
  const esbuildFile = findPeerFile('esbuild', dirname(file));
  if (esbuildFile === undefined) return failed([before.reportMissingPackage('esbuild')]);
  if (missing[0] !== undefined) return failed([before.reportMissingPackage(missing[0])]);

  const isOutside = createOutsideCheck(file);
  const config = findNearestConfig(dirname(file));
  if (config !== undefined && isOutside(realpathSync(config))) return failed([before.reportLinkedConfig(config)]);

  signal?.throwIfAborted();
  const types = options.typecheck ? checkTypes(file, texts, limits.deadlineMs * TYPES_TAKE, isOutside) : undefined;
  signal?.addEventListener('abort', () => types?.cancel(), { once: true });
  const bundled = await bundleProgram(esbuildFile, file, folder, { isUnlocked: options.isUnlocked === true });
  if ('mistakes' in bundled) {
    types?.cancel();
    return failed(bundled.mistakes.map(mistake => before.reportMistake(mistake)));
  }
  const { code, sourceMap, url, metafile, inputs } = bundled;
  const locatePart = createPartLocator(bundled, path => texts.getText(path));
  const findings = new ProgramFindings(texts, new BundlePositions(sourceMap), folder, environment, locatePart);
  const copies = [...findDuplicatePackages(metafile, folder)].map(([name, each]) => findings.reportCopies(name, each));
  if (copies.length > 0) {
    types?.cancel();
    return failed(copies, inputs);
  }

  options.onInputs?.(inputs);
  const request = { bundle: code, url, folder, allowNetwork, now: readNow(process.env.SOURCE_DATE_EPOCH) };
  const readable = listReadablePaths(folder, metafile, isOutside);
  const variables = { TZ: 'UTC', LC_ALL: 'C', ...environment };
  const run = (within: RunLimits) => runProcess(request, readable, variables, within, signal);
  const running = run(limits).then(ended => (allowNetwork ? ended : withPlaceOfGrowth(ended, limits, run)));
  const [ended, typeErrors = []] = await Promise.all([running, types?.found]);
  // If the type check was aborted, it is not known whether the types are right.
  signal?.throwIfAborted();
  if (typeErrors.some(({ severity }) => severity === 'error')) return failed(typeErrors, inputs);
  if (ended.result === undefined) return failed([...typeErrors, findings.reportEnd(ended, limits)], inputs);
  const { outcome } = ended.result;
  const notes = withPrints(ended.result.notes, ended.hasPrinted);
  const isSet = (name: string) => process.env[name] !== undefined && !(name in environment);
  const remarks = [...typeErrors, ...findings.reportNotes(notes, isSet)];
  if (outcome.type !== 'synthesized') {
    const mistakes = findings.reportOutcome(outcome);
    // If a refused operation was reported, the error that it caused is not reported as well.
    const isReported = remarks.some(({ code }) => code === 'LNT1081');
    return failed([...remarks, ...mistakes.filter(({ code }) => !isReported || code !== 'LNT1070')], inputs);
  }
  if (remarks.some(({ severity }) => severity === 'error')) return failed(remarks, inputs);
  const synthesized = { entry: shown, charts: outcome.charts, sourceMap, inputs, imports: bundled.imports };
  const sources = toProgramSources(synthesized, path => texts.getText(path));
  return {
    outcome: {
      documents: sources.documents,
      wasRun: sources.wasRun,
      texts: new Map([...texts.texts, ...sources.texts]),
      diagnostics: remarks,
      complete: true,
    },
    synthesized,
    inputs,
  };
}

/** Fractions of the total memory at which the repeated run is asked for its position. Node's own share is below the last of them. */
const ASKED_AT_MEMORY = [0.6, 0.45];

/** Fractions of the time until memory was full, where the memory of a process cannot be measured. */
const ASKED_AT_TIME = [0.8, 0.5];

/**
 * A process that runs out of memory cannot report its position. As programs are deterministic, a second run is asked shortly before that moment.
 * All runs together keep to the time limit of one.
 */
async function withPlaceOfGrowth(ended: EndedRun, limits: RunLimits, run: (limits: RunLimits) => Promise<EndedRun>) {
  if (ended.reason !== 'out-of-memory') return ended;
  const total = limitTotalMemory(limits.maxHeapMegabytes);
  const attempts = CAN_WATCH_MEMORY
    ? ASKED_AT_MEMORY.map(part => ({ deadlineMs: Infinity, interruptAtMegabytes: total * part }))
    : ASKED_AT_TIME.map(part => ({ deadlineMs: ended.elapsedMs * part }));
  let remaining = limits.deadlineMs - ended.elapsedMs;
  for (const attempt of attempts) {
    if (remaining <= 0) break;
    const { frames, elapsedMs } = await run({
      ...limits,
      ...attempt,
      deadlineMs: Math.min(attempt.deadlineMs, remaining),
    });
    if (frames.length > 0) return { ...ended, frames };
    remaining -= elapsedMs;
  }
  return ended;
}

/** Adds a note for output that bypassed Node's streams and was written to the file descriptor directly. */
function withPrints(notes: readonly Note[], hasPrinted: boolean): readonly Note[] {
  if (!hasPrinted || notes.some(({ type }) => type === 'print')) return notes;
  return [...notes, { type: 'print', what: 'stdout', frames: [], isDirect: false }];
}

/** The environment of a program, besides the variables that are always set. */
function readEnvironment(names: readonly string[]): Readonly<Record<string, string>> {
  const passed = names.flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passed);
}

/** @param epoch seconds since 1970. @see https://reproducible-builds.org/specs/source-date-epoch/ */
function readNow(epoch: string | undefined): number {
  return epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : DEFAULT_NOW;
}
