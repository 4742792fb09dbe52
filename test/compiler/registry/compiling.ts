/** Compiles registry server configurations in memory. */
import { type Compilation, type CompileOptions, compile, readTexts, SourceText } from '#compiler';
import type { RegistryBundle } from '#schemas';

export function compileConfig(
  text: string,
  file = 'registry.yaml',
  purpose: CompileOptions['purpose'] = 'language',
): Compilation {
  return compileFiles({ [file]: text }, purpose);
}

export function compileFiles(
  files: { readonly [file: string]: string },
  purpose: CompileOptions['purpose'] = 'language',
): Compilation {
  const texts = Object.entries(files).map(([file, text]) => new SourceText(file, text));
  const sources = { ...readTexts(texts), named: new Set(Object.keys(files)) };
  return compile(sources, { purpose, origin: { compilerVersion: '0.0.0', sourceRevision: null } });
}

/** `LNT1003 7:3-7:14 message`, with the fix where there is one. */
export function formatFindings({ findings }: Compilation): string[] {
  return findings.diagnostics.map(({ code, range: { start, end }, message, fix }) => {
    const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
    return `${code} ${place} ${message}${fix === undefined ? '' : ` (${fix})`}`;
  });
}

export function getBundle({ registries }: Compilation): RegistryBundle {
  const bundle = registries[0]?.bundle;
  if (!bundle) throw new Error('no bundle');
  return bundle;
}
