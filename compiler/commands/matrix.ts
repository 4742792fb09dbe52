import {
  buildMatrix,
  buildRegistryMatrix,
  type CellChange,
  combineMatrices,
  diffMatrices,
  diffPersonas,
  formatServerName,
  MATRIX_FORMAT_VERSION,
  MATRIX_RENDERERS,
  type Matrix,
  type MatrixFindings,
  type MatrixFormat,
  type Persona,
  readMatrix,
  renderMatrixDifference,
  type ServerMatrix,
} from '../analysis/access/index.ts';
import { formatCount } from '../analysis/exposure/render/words.ts';
import type { Compilation } from '../compile/compilation.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import type { CompiledRegistry } from '../compile/registries.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { UsageError } from '../usage-error.ts';
import { chooseGateways } from './choose-gateways.ts';
import { chooseObjects, displayName, formatObjectName } from './choose-objects.ts';
import { compilePaths, describeTerminal, type ProjectOptions, printErrors } from './compile-paths.ts';
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
  /** The gateway, in the form of `chooseGateways`; default: all gateways, MCPServers and MCPRemoteProxies, unless a registry server is given. */
  readonly gateway: string | undefined;
  /** The registry server, in the form of `chooseObjects`; default: all registry servers, unless a gateway is given. */
  readonly registry: string | undefined;
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
    printErrors(compiled);
  }
  const chosen = chooseServers(compiled.compilation, options);
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
    // A table already has these notes below it. Where only the changes are printed, the notes go to standard error.
    for (const { kind, matrix, groups = [] } of findings)
      for (const note of groups)
        process.stderr.write(`lintel: ${escapeUnprintable(`${formatServerName(kind, matrix)}: ${note}`)}\n`);
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

interface ChosenServers {
  readonly gateways: readonly CompiledGateway[];
  readonly registries: readonly CompiledRegistry[];
}

/** @throws UsageError when there is nothing to show, or nothing of the given name */
function chooseServers(
  compilation: Compilation,
  { gateway, registry }: Pick<MatrixOptions, 'gateway' | 'registry'>,
): ChosenServers {
  const hasGateways = compilation.gateways.length + compilation.servers.length > 0;
  const wantsGateways = gateway !== undefined || (registry === undefined && hasGateways);
  const wantsRegistries = registry !== undefined || gateway === undefined;
  const registries = wantsRegistries ? chooseObjects(compilation.registries, registry, 'registry server') : [];
  if (!wantsGateways && registries.length > 0) return { gateways: [], registries };
  return { gateways: chooseGateways(compilation, gateway), registries };
}

/** Notes about the matrix, and why it is incomplete. */
function collectFindings({ gateways, registries }: ChosenServers, personas: readonly Persona[]) {
  const now = createEvaluationContext();
  const findings: MatrixFindings[] = [];
  const missing: string[] = [];
  for (const gateway of gateways) {
    const name = formatObjectName(gateway);
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
  for (const registry of registries) {
    const plan = registry.plan();
    if (plan !== null) findings.push(buildRegistryMatrix(plan, personas, now));
    else
      missing.push(
        `${formatServerName('registry', registry.object)} is not shown: it has errors, so what callers would see is not known`,
      );
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

/** Compares two matrices. Items that a matrix omits or does not know are not compared. */
function diffMatrix(
  expected: Matrix,
  actual: Matrix,
  chosen: ChosenServers,
  { gateway, registry }: MatrixOptions,
): readonly CellChange[] {
  const isEverythingChosen = gateway === undefined && registry === undefined;
  const comparable = (
    before: readonly ServerMatrix[],
    after: readonly ServerMatrix[],
    selected: readonly Pick<ServerMatrix, 'namespace' | 'name'>[],
  ) => {
    const toNames = (servers: readonly Pick<ServerMatrix, 'namespace' | 'name'>[]) =>
      new Set(servers.map(({ namespace, name }) => `${namespace}/${name}`));
    const [known, selectedNames] = [toNames(after), toNames(selected)];
    return before.filter(({ namespace, name }) => {
      const id = `${namespace}/${name}`;
      // A server that is gone from the specs counts as a difference, unless another one was requested.
      return selectedNames.has(id) ? known.has(id) : isEverythingChosen;
    });
  };
  const gateways = chosen.gateways.map(({ object }) => ({ namespace: object.namespace, name: displayName(object) }));
  const registries = chosen.registries.map(({ object }) => object);
  return diffMatrices(
    {
      ...expected,
      gateways: comparable(expected.gateways, actual.gateways, gateways),
      registries: comparable(expected.registries, actual.registries, registries),
    },
    actual,
  );
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
