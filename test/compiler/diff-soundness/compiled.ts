/** Compiles a design with the real compiler. */
import { type Compilation, type CompiledGateway, compile, readTexts, SourceText } from '#compiler';
import type { GatewayBundle } from '#schemas';
import { type Design, formatSpecs, readCatalogOfDesign } from './design.ts';

export interface CompiledDesign {
  readonly gateway: CompiledGateway;
  readonly bundle: GatewayBundle;
}

/** Undefined for a design with errors, which cannot be served. */
export function compiledDesign(design: Design): CompiledDesign | undefined {
  const [gateway] = compilationOf(design).gateways;
  const bundle = gateway?.bundle ?? null;
  return gateway === undefined || bundle === null ? undefined : { gateway, bundle };
}

/** `LNT3001 <message>` for each error. */
export function errorsIn(design: Design): readonly string[] {
  return compilationOf(design).findings.diagnostics.flatMap(({ code, severity, message }) =>
    severity === 'error' ? [`${code} ${message}`] : [],
  );
}

function compilationOf(design: Design): Compilation {
  return compile(readTexts([new SourceText('specs.yaml', formatSpecs(design))]), {
    purpose: 'check',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
    catalog: readCatalogOfDesign(design),
  });
}
