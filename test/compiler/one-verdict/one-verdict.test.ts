/**
 * `check` and `build` give the same verdict about the same specs: for the example of every code, every golden case, and every example folder.
 */
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Compilation,
  type CompileOptions,
  compile,
  findFiles,
  readSources,
  readTexts,
  type Sources,
  SourceText,
} from '#compiler';
import { chooseExitCode } from '../../../compiler/commands/compile-paths.ts';
import { CLEAN, gateway, WITH_ERROR, WITH_UNSUPPORTED, WITH_WARNING } from '../../e2e/specs.ts';
import { SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { runLintel } from '../../support/lintel.ts';

const ROOT = join(import.meta.dirname, '../../..');
const GOLDENS = join(ROOT, 'test/compiler/goldens/cases');

/** Specs with a gateway that uses a feature which no version of Lintel supports yet. */
const CODE_MODE = { ...CLEAN, 'gateway.yaml': gateway('eng', '{ codeMode: { enabled: true } }') };

function texts(files: { readonly [file: string]: string }): () => Sources {
  return () => readTexts(Object.entries(files).map(([file, text]) => new SourceText(file, text)));
}

const CASES: readonly (readonly [string, () => Sources])[] = [
  ...SPEC_EXAMPLES.map(({ code, is, text }) => [`${code} ${is}`, texts({ 'a.yaml': text })] as const),
  ...Object.entries({ CLEAN, WITH_ERROR, WITH_WARNING, WITH_UNSUPPORTED, CODE_MODE }).map(
    ([name, files]) => [name, texts(files)] as const,
  ),
  ...readdirSync(GOLDENS).map(name => {
    const { files } = findFiles(['input'], { cwd: join(GOLDENS, name) });
    return [`golden ${name}`, () => readSources(files, () => new Uint8Array())] as const;
  }),
];

function verdict(sources: Sources, purpose: CompileOptions['purpose']) {
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const compilation: Compilation = compile(sources, { purpose, origin });
  const { findings, gateways, registries } = compilation;
  return {
    code: chooseExitCode(compilation, 'error'),
    errors: findings.all.flatMap(({ severity, code }) => (severity === 'error' ? code : [])),
    unbuilt: [...gateways, ...registries].filter(({ bundle }) => bundle === null).map(({ object }) => object.name),
  };
}

test('lintel check and lintel build have the same exit code and errors for every example and golden input', () => {
  const refused: string[] = [];
  for (const [name, sources] of CASES) {
    const checked = verdict(sources(), 'check');
    expect(checked, name).toEqual(verdict(sources(), 'build'));
    // Specs that pass are built.
    if (checked.code === 0) expect([name, checked.unbuilt]).toEqual([name, []]);
    else refused.push(name);
  }
  expect(CASES.length).toBeGreaterThan(300);
  expect(refused.length).toBeGreaterThan(100);
});

test('lintel check --language-only accepts fields that the runtime does not serve', () => {
  const codes = CASES.map(
    ([name, sources]) => [name, verdict(sources(), 'language'), verdict(sources(), 'check')] as const,
  );
  const differs = codes.filter(([, language, check]) => language.code !== check.code);
  expect(differs.length).toBeGreaterThan(1);
  for (const [name, language, check] of differs)
    expect([name, language.code, check.code, new Set(check.errors)]).toEqual([name, 0, 1, new Set(['LNT1009'])]);
});

const EXAMPLES = readdirSync(join(ROOT, 'examples')).flatMap(name =>
  ['', '/specs']
    .map(below => `examples/${name}${below}`)
    .filter(
      folder => existsSync(join(ROOT, folder)) && readdirSync(join(ROOT, folder)).some(file => file.endsWith('.yaml')),
    ),
);

test.each(EXAMPLES)('lintel check and lintel build have the same exit code for %s', async folder => {
  const out = mkdtempSync(join(tmpdir(), 'lintel-verdict-'));
  try {
    const check = await runLintel(['check', folder, '--format', 'json'], { cwd: ROOT });
    const build = await runLintel(['build', folder, '--out', out, '--format', 'json'], { cwd: ROOT });
    const found = ({ stdout }: { readonly stdout: string }) =>
      stdout === '' ? stdout : (JSON.parse(stdout) as { diagnostics: unknown }).diagnostics;
    expect([check.code, found(check), check.stderr]).toEqual([build.code, found(build), build.stderr]);
  } finally {
    await rm(out, { recursive: true });
  }
});
