/**
 * Type checking with the command of TypeScript 7, whose compiler is a native program. It checks the same as the JavaScript version in
 * `types-process.ts`: one program, with the options of the nearest `tsconfig.json`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isJavaScript } from '../source/is-program.ts';
import { killWithParent } from './kill-with-parent.ts';
import { ALWAYS, DEFAULTS } from './type-options.ts';
import { findTypeScriptConfig } from './typescript-config.ts';

/** An error that the command prints. */
export interface PrintedDiagnostic {
  readonly code: number;
  readonly message: string;
  /** Absolute path of the file; undefined for an error about the configuration. */
  readonly file?: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** The column, counted from 1, in UTF-16 code units. */
  readonly column: number;
}

/** A configuration whose patterns match no file is fine: the program is the file. */
const NO_INPUTS: readonly number[] = [18002, 18003];

/** An error in the command's output: `app.ts(3,7): error TS2322: Type …`, or without a position. Indented lines belong to the error above. */
const MISTAKE = /^(?:(.+)\((\d+),(\d+)\): )?error TS(\d+): (.*)((?:\n +.*)*)/gm;

/**
 * @param command the file of `tsc`; undefined when the package has none
 * @param entry absolute
 * @throws Error when the command fails in another way than by errors of types
 */
export async function checkTypesByCommand(
  command: string | undefined,
  entry: string,
  signal: AbortSignal,
): Promise<readonly PrintedDiagnostic[]> {
  if (command === undefined) throw new Error('it has neither an API nor a command');
  const folder = dirname(entry);
  const config = findTypeScriptConfig(entry);
  const { declarations, options, mistakes } = await runConfigured(command, config, folder, signal);
  if (mistakes.length > 0) return mistakes;
  // A configuration next to the program would be simpler, but nothing may be written there.
  const own = await mkdtemp(join(tmpdir(), 'lintel-types-'));
  try {
    const tsconfig = {
      ...(config === undefined ? {} : { extends: config }),
      compilerOptions: { ...options, ...ALWAYS, ...(isJavaScript(entry) && { allowJs: true }) },
      files: [entry, ...declarations],
      include: [],
      references: [],
    };
    await writeFile(join(own, 'tsconfig.json'), JSON.stringify(tsconfig));
    const found = parseMistakes(await run(command, ['--pretty', 'false', '-p', own], folder, signal), folder);
    return found.filter(({ file }) => file === undefined || !/[\\/]node_modules[\\/]/.test(file));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Settings of the project's configuration that a configuration in another folder would not inherit. */
async function runConfigured(command: string, config: string | undefined, folder: string, signal: AbortSignal) {
  const typeRoots = listAncestors(folder)
    .map(above => join(above, 'node_modules', '@types'))
    .filter(path => existsSync(path));
  if (config === undefined) {
    const types = existsSync(join(folder, 'node_modules/@types/node')) ? ['node'] : [];
    return { declarations: [], options: { ...DEFAULTS, typeRoots, types }, mistakes: [] };
  }
  const base = dirname(config);
  const printed = await run(command, ['--showConfig', '--pretty', 'false', '-p', config], base, signal);
  const shown = parseJson(printed) as { files?: string[]; compilerOptions?: { typeRoots?: unknown } } | undefined;
  const mistakes = parseMistakes(printed, base).filter(({ code }) => !NO_INPUTS.includes(code));
  const declarations = (shown?.files ?? []).filter(name => /\.d\.[cm]?ts$/.test(name)).map(name => resolve(base, name));
  return { declarations, options: shown?.compilerOptions?.typeRoots === undefined ? { typeRoots } : {}, mistakes };
}

function listAncestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...listAncestors(parent)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseMistakes(printed: string, folder: string): readonly PrintedDiagnostic[] {
  return [...printed.replaceAll('\r\n', '\n').matchAll(MISTAKE)].map(
    ([, file, line, column, code, first = '', others = '']) => ({
      code: Number(code),
      message: [first, ...others.split('\n')]
        .map(part => part.trim())
        .filter(part => part !== '')
        .join('; '),
      ...(file !== undefined && { file: resolve(folder, file) }),
      line: Number(line ?? 1),
      column: Number(column ?? 1),
    }),
  );
}

/** The command's output, including type errors. */
function run(command: string, args: readonly string[], cwd: string, signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [command, ...args], { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
  killWithParent(child);
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', chunk => stdout.push(chunk));
  child.stderr.on('data', chunk => stderr.push(chunk));
  return new Promise((fulfil, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      const printed = Buffer.concat(stdout).toString();
      // Exit codes 1 and 2 mean type errors.
      const isAnswer = code === 0 || ((code === 1 || code === 2) && printed.includes('error TS'));
      if (isAnswer) return fulfil(printed);
      const [complaint = ''] = Buffer.concat(stderr).toString().trim().split('\n');
      return reject(new Error(complaint || `exit code ${code}`));
    });
  });
}
