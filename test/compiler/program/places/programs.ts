/** Programs for tests, run as Lintel runs them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Range, SourceLocation } from '../../../../compiler/diagnostics/diagnostic.ts';
import { toProgramSources } from '../../../../compiler/program/locations/index.ts';
import { ProgramTexts } from '../../../../compiler/program/program-texts.ts';
import { runProgram } from '../../../../compiler/program/run-program.ts';
import type { SynthesizedProgram } from '../../../../compiler/program/synthesized.ts';
import { locateValue } from '../../../../compiler/source/locate-finding.ts';
import type { Path, SourceDocument } from '../../../../compiler/source/source-document.ts';

const PACKAGES = resolve(import.meta.dirname, '../../../../node_modules');

/** The texts of files by path. */
export type Files = Readonly<Record<string, string>>;

export interface TestProgram {
  readonly folder: string;
  readonly synthesized: SynthesizedProgram;
  readonly documents: readonly SourceDocument[];
}

/** @param packages to link into the program's `node_modules` */
export function writeFolder(files: Files, packages: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lintel-places-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of packages) symlinkSync(join(PACKAGES, name), join(folder, 'node_modules', name));
  return folder;
}

/** @param typescript folder of the TypeScript package for the program; Lintel's when not given */
export async function runFiles(files: Files, typescript?: string): Promise<TestProgram> {
  const folder = writeFolder(files, ['cdk8s', 'constructs', 'cdk8s-plus-33']);
  if (typescript !== undefined) symlinkSync(typescript, join(folder, 'node_modules/typescript'));
  const entry = Object.keys(files)[0] ?? '';
  const options = { cwd: folder, typecheck: false, allowNetwork: false, environment: [] };
  const ran = await runProgram(join(folder, entry), entry, options);
  const { synthesized } = ran;
  if (synthesized === undefined) throw new Error(JSON.stringify(ran, null, 2));
  const texts = new ProgramTexts(folder, join(folder, entry), entry);
  return { folder, synthesized, documents: toProgramSources(synthesized, file => texts.getText(file)).documents };
}

/** The documents from a construct. */
export function findDocument({ documents }: TestProgram, constructPath: string): SourceDocument {
  const found = documents.find(({ program }) => program?.constructPath === constructPath);
  if (found === undefined)
    throw new Error(`none of ${documents.map(({ program }) => program?.constructPath).join(', ')} is ${constructPath}`);
  return found;
}

/** The start of a location, such as `app.ts:3:14`. */
export function formatStart({ file, range }: { readonly file: string; readonly range: Range }): string {
  return `${file}:${range.start.line}:${range.start.column}`;
}

export function parsePath(pointer: string): Path {
  return pointer.split('/').slice(1);
}

/** The place of a pointer; with `?` at its end, the place of its key. */
export function locatePart(program: TestProgram, constructPath: string, pointer: string): SourceLocation {
  const isKey = pointer.endsWith('?');
  return locateValue(
    findDocument(program, constructPath),
    parsePath(pointer.replace(/\?$/, '')),
    isKey ? 'key' : 'value',
  );
}
