import {
  buildMatrix,
  type CellChange,
  combineMatrices,
  diffMatrices,
  diffPersonas,
  type GatewayMatrix,
  MATRIX_FORMAT_VERSION,
  MATRIX_RENDERERS,
  type Matrix,
  type MatrixFindings,
  type MatrixFormat,
  type Persona,
  readMatrix,
  renderMatrixDifference,
} from '../analysis/access/index.ts';
import { formatCount } from '../analysis/exposure/render/words.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { UsageError } from '../usage-error.ts';
import { chooseGateways, displayName, formatGatewayName } from './choose-gateways.ts';
import { compilePaths, describeTerminal, keepErrors, type ProjectOptions, renderFindings } from './compile-paths.ts';
import { createEvaluationContext } from './evaluation-context.ts';
import { writeOutput } from './outputs.ts';
import { readJsonObject } from './read-json-object.ts';
import { readPersonas } from './read-personas.ts';

export interface MatrixOptions extends ProjectOptions {
  /** Folder with the personas. */
  readonly as: string;
  readonly format: MatrixFormat;
  /** Undefined for standard output. */
  readonly output: string | undefined;
  /** In the form of `chooseGateways`; default: all gateways and servers. */
  readonly gateway: string | undefined;
  /** File with an expected matrix to compare with. */
  readonly expect: string | undefined;
}

/**
 * Prints what each persona may do. Standard output has only the data. Returns the exit code: 1 for an unexpected matrix, 3 when the matrix is
 * incomplete.
 */
export async function matrix(paths: readonly string[], options: MatrixOptions): Promise<number> {
  const personas = readPersonas(options.as);
  const expected = options.expect === undefined ? undefined : readExpected(options.expect);
  const compiled = await compilePaths(paths, { ...options, purpose: 'language' });
  if (compiled.compilation.findings.counts.error > 0) {
    process.stderr.write(`${renderFindings(keepErrors(compiled), 'pretty', { stream: process.stderr })}\n`);
  }
  const chosen = chooseGateways(compiled.compilation, options.gateway);
  const { findings, missing } = collectFindings(chosen, personas);
  for (const line of missing) process.stderr.write(`lintel: ${line}\n`);
  const isWhole = missing.length === 0 && compiled.compilation.checked.complete;
  const names = personas.map(({ name }) => name);
  const changes = expected && diffMatrix(expected, combineMatrices(names, findings), chosen, options);
  const callers = expected && diffPersonas(expected, combineMatrices(names, findings));
  const hasOtherCallers = callers !== undefined && callers.missing.length + callers.added.length > 0;
  if (changes === undefined) await show(names, findings, options);
  else {
    if (callers !== undefined) reportCallers(callers, options);
    reportChanges(changes, isWhole && !hasOtherCallers, options);
    // Tables show the notes below them.
    for (const {
      matrix: { namespace, name },
      groups = [],
    } of findings)
      for (const note of groups)
        process.stderr.write(`lintel: ${escapeUnprintable(`${namespace}/${name}: ${note}`)}\n`);
  }
  if (!isWhole) return 3;
  return changes === undefined || (changes.length === 0 && !hasOtherCallers) ? 0 : 1;
}

/** What a caller may do is compared only if both sides have the caller, so a missing one is a difference by itself. */
function reportCallers({ missing, added }: ReturnType<typeof diffPersonas>, { as, expect = '' }: MatrixOptions): void {
  const lines = [
    ...missing.map(name => `! ${name}: ${expect} has this caller, and ${as} has no ${name}.json`),
    ...added.map(name => `~ ${name}: ${expect} does not have this caller`),
  ];
  process.stdout.write(lines.map(line => `${escapeUnprintable(line)}\n`).join(''));
}

/** @throws UsageError for a file without a matrix */
function readExpected(file: string): Matrix {
  const matrix = readMatrix(readJsonObject(file, 'expectations', MAX_CATALOG_BYTES));
  if (matrix === undefined) {
    throw new UsageError(
      `${file}: holds no matrix of format version ${MATRIX_FORMAT_VERSION}; --format json writes one`,
    );
  }
  return matrix;
}

/** Notes about the matrix, and why it is incomplete. */
function collectFindings(gateways: readonly CompiledGateway[], personas: readonly Persona[]) {
  const now = createEvaluationContext();
  const findings: MatrixFindings[] = [];
  const missing: string[] = [];
  for (const gateway of gateways) {
    const name = formatGatewayName(gateway);
    const model = gateway.model();
    const found = model === null ? undefined : buildMatrix(model, personas, now);
    if (found === undefined) {
      const why = model === null ? 'it has errors' : 'its policies are not in the sources';
      missing.push(`${name} is not shown: ${why}, so what it would permit is not known`);
      continue;
    }
    findings.push({ ...found, matrix: { ...found.matrix, name: displayName(gateway.object) } });
    if (!found.matrix.complete)
      missing.push(`${name} may offer more: the tool lock does not know all backends; \`lintel lock\` asks them`);
  }
  return { findings, missing };
}

async function show(
  personas: readonly string[],
  findings: readonly MatrixFindings[],
  { format, output }: MatrixOptions,
) {
  const render = MATRIX_RENDERERS[format];
  if (output !== undefined) await writeOutput(output, render(personas, findings, { color: false }));
  else process.stdout.write(render(personas, findings, describeTerminal(process.stdout)));
}

/** Items that the matrix omits or does not know are not compared. */
function diffMatrix(
  expected: Matrix,
  actual: Matrix,
  chosen: readonly CompiledGateway[],
  { gateway: wanted }: MatrixOptions,
): readonly CellChange[] {
  const names = (gateways: readonly { readonly namespace: string; readonly name: string }[]) =>
    new Set(gateways.map(({ namespace, name }) => `${namespace}/${name}`));
  const known = names(actual.gateways);
  const asked = names(chosen.map(({ object }) => ({ namespace: object.namespace, name: displayName(object) })));
  const isCompared = ({ namespace, name }: GatewayMatrix) => {
    const id = `${namespace}/${name}`;
    // A gateway that is gone from the specs counts as a difference, unless another one was requested.
    return asked.has(id) ? known.has(id) : wanted === undefined;
  };
  return diffMatrices({ ...expected, gateways: expected.gateways.filter(isCompared) }, actual);
}

function reportChanges(changes: readonly CellChange[], isWhole: boolean, { expect = '' }: MatrixOptions): void {
  process.stdout.write(renderMatrixDifference(changes));
  const count = formatCount(changes.length, 'difference');
  if (changes.length > 0) {
    process.stdout.write(
      `${count} from ${expect}; where they are meant, write it again with --format json --output ${expect}\n`,
    );
  } else if (isWhole) process.stdout.write(`the matrix is as ${expect} says\n`);
}
