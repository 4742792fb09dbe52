/** Folders with programs, in which packages are found as in a project outside of this repository. */
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Diagnostic } from '#compiler';
import { type ProgramOptions, type RanProgram, runProgram } from '../../compiler/program/run-program.ts';
import { ROOT } from './process.ts';

export type Files = { readonly [path: string]: string };

export class ProgramWorld implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param packages of Lintel in the project; by default all */
  static async with(files: Files, packages?: readonly string[]): Promise<ProgramWorld> {
    const world = new ProgramWorld(await realpath(await mkdtemp(join(tmpdir(), 'lintel-program-'))));
    await world.write({ 'package.json': '{ "type": "module" }\n', ...files });
    const modules = join(world.folder, 'node_modules');
    if (packages === undefined) await symlink(join(ROOT, 'node_modules'), modules);
    else {
      await mkdir(modules, { recursive: true });
      for (const name of packages) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    }
    return world;
  }

  async write(files: Files): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  /** Creates a second copy of a package, with another version. */
  async copyPackage(name: string, to: string, version: string): Promise<void> {
    const target = join(this.folder, to);
    await cp(await realpath(join(ROOT, 'node_modules', name)), target, { recursive: true });
    const manifest = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as object;
    await writeFile(join(target, 'package.json'), JSON.stringify({ ...manifest, version }));
  }

  run(entry = 'app.ts', options: Partial<ProgramOptions> = {}): Promise<RanProgram> {
    return runProgram(join(this.folder, entry), entry, {
      cwd: this.folder,
      typecheck: false,
      allowNetwork: false,
      environment: [],
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A finding on one line. */
export function line({ code, severity, file, range, message }: Diagnostic): string {
  return `${code} ${severity} ${file}:${range.start.line}:${range.start.column} ${message}`;
}
