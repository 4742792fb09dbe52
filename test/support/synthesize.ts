/** Runs a program's text in this process as `cdk8s synth` would, and returns the files that it writes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as cdk8s from 'cdk8s';
import * as constructs from 'constructs';
import { transformSync } from 'esbuild';
import * as library from '../../compiler/cdk8s/index.ts';

const MODULES: Readonly<Record<string, unknown>> = { cdk8s, constructs, 'lintel/cdk8s': library };

/** @param others the text of further modules that the program imports, by import name */
export function synthesize(
  program: string,
  others: Readonly<Record<string, unknown>> = {},
): { readonly file: string; readonly text: string }[] {
  const { code } = transformSync(program, { loader: 'ts', format: 'cjs', target: 'node22' });
  const folder = mkdtempSync(join(tmpdir(), 'lintel-synth-'));
  const before = process.env.CDK8S_OUTDIR;
  process.env.CDK8S_OUTDIR = folder;
  try {
    const load = (name: string): unknown => {
      const found = { ...MODULES, ...others }[name];
      if (found === undefined) throw new Error(`the program imports "${name}"`);
      return found;
    };
    new Function('require', 'module', 'exports', code)(load, { exports: {} }, {});
    return readdirSync(folder)
      .sort()
      .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
  } finally {
    if (before === undefined) delete process.env.CDK8S_OUTDIR;
    else process.env.CDK8S_OUTDIR = before;
    rmSync(folder, { recursive: true, force: true });
  }
}
