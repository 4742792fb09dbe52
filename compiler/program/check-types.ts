/** Type-checks a program with TypeScript, in a separate process. */
import { spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { killWithParent } from './kill-with-parent.ts';
import { LEADS_OUT } from './outside-check.ts';
import { findPeerFile } from './peer-dependencies.ts';
import type { ProgramTexts } from './program-texts.ts';
import { checkTypesByCommand, type PrintedDiagnostic } from './types-command.ts';

/** A TypeScript diagnostic of category error. */
export interface TypeDiagnostic {
  readonly code: number;
  readonly message: string;
  /** Absolute path of the file; undefined for a diagnostic about the configuration. */
  readonly file?: string;
  /** The offset of the diagnostic, in UTF-16 code units. */
  readonly start: number;
  readonly length: number;
}

export interface TypeCheck {
  readonly found: Promise<readonly Diagnostic[]>;
  /** Cancels the check. */
  cancel(): void;
}

/**
 * The file of the process that checks types. If Lintel runs from its sources, this process imports the sources of Lintel's other folders too, and not
 * an older build.
 */
const [ENTRY, ENTRY_OPTIONS] = import.meta.url.endsWith('.ts')
  ? ['./types-process.ts', ['--conditions=lintel-source']]
  : ['./lintel-program-types.js', []];

/** The first version of TypeScript whose compiler is a native program: its package only has the command, and no library. */
const FIRST_NATIVE = 7;

/** Maximum number of shown type errors of a program; one mistake often causes many. */
const MAX_SHOWN = 50;

/**
 * @param entry an absolute path
 * @param deadlineMs from start to end; milliseconds
 * @param isOutside whether a file, given without links, is outside of the program's repository, so that messages must not show its content
 */
export function checkTypes(
  entry: string,
  texts: ProgramTexts,
  deadlineMs: number,
  isOutside: (file: string) => boolean,
): TypeCheck {
  const manifest = findPeerFile('typescript/package.json', dirname(entry));
  if (manifest === undefined) {
    const hint = createDiagnostic(
      'LNT1075',
      texts.locateEntry(),
      'typescript is not installed, so types were not checked',
    );
    return { found: Promise.resolve([hint]), cancel: () => {} };
  }
  const { version, bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string; bin?: { tsc?: string } };
  const cancelled = new AbortController();
  const late = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([cancelled.signal, late]);
  const isNative = Number.parseInt(version ?? '', 10) >= FIRST_NATIVE;
  const command = bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc);
  const checked = isNative
    ? checkTypesByCommand(command, entry, signal)
    : checkTypesInProcess(dirname(manifest), entry, signal);
  const found = checked.then(
    mistakes => mistakes.slice(0, MAX_SHOWN).map(mistake => toFinding(mistake, texts, isOutside)),
    (error: Error) => {
      if (cancelled.signal.aborted) return [];
      if (late.aborted) {
        const message = `typescript ${version} was still checking the types of the program after ${deadlineMs / 1000} s`;
        return [
          createDiagnostic('LNT1076', texts.locateEntry(), message, {
            help: 'Look for types that grow without end; --synth-timeout gives more time',
          }),
        ];
      }
      const message = `typescript ${version} failed: ${error.message}`;
      return [createDiagnostic('LNT1075', texts.locateEntry(), message, { help: 'Look at the version of typescript' })];
    },
  );
  return { found, cancel: () => cancelled.abort() };
}

/** @param typescript the package's folder */
function checkTypesInProcess(
  typescript: string,
  entry: string,
  signal: AbortSignal,
): Promise<readonly TypeDiagnostic[]> {
  const main = fileURLToPath(new URL(ENTRY, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', ...ENTRY_OPTIONS, main, typescript, entry], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  killWithParent(child);
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', chunk => stdout.push(chunk));
  child.stderr.on('data', chunk => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(stdout).toString()) as readonly TypeDiagnostic[]);
      else {
        const lines = Buffer.concat(stderr).toString().split('\n');
        reject(new Error(lines.find(line => /^\w*Error: /.test(line)) ?? `exit code ${code}`));
      }
    });
  });
}

function toFinding(
  mistake: TypeDiagnostic | PrintedDiagnostic,
  texts: ProgramTexts,
  isOutside: (file: string) => boolean,
): Diagnostic {
  const { code, message, file } = mistake;
  // Diagnostics about a file outside of the program would reveal its content.
  if (file !== undefined && isOutside(realpathSync(file)))
    return createDiagnostic('LNT1018', texts.locateEntry(), `cannot read a module for its types: ${LEADS_OUT}`);
  const text = `${message.trim().replace(/\.$/, '')} (TS${code})`;
  if (file === undefined) return createDiagnostic('LNT1072', texts.locateEntry(), text);
  if ('line' in mistake) return createDiagnostic('LNT1072', texts.locate(file, mistake.line, mistake.column), text);
  const { start, length } = mistake;
  const source = texts.getText(file);
  const location = { file: source.file, pointer: '', range: source.range(start, start + length) };
  return createDiagnostic('LNT1072', location, text);
}
