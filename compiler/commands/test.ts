import { compareText, type RehearsalRecord, type RehearsalRequest, VERSION } from '#schemas';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Format, RENDERERS } from '../diagnostics/render/index.ts';
import { belongsToTest, type TestResult, type TestResults } from '../diagnostics/render/test-results.ts';
import { type Findings, Report } from '../diagnostics/report.ts';
import { loadProject } from '../project/index.ts';
import { findLine } from '../source/read-sources.ts';
import type { SourceText } from '../source/source-text.ts';
import { formatPointer } from '../text/pointer.ts';
import { UsageError } from '../usage-error.ts';
import { checkRun } from '../workflow-tests/check-run.ts';
import { BRANCHES, type Coverage, computeCoverage, computePercent } from '../workflow-tests/coverage.ts';
import { findTests, listSpecPaths } from '../workflow-tests/find-tests.ts';
import { planTests } from '../workflow-tests/plan-tests.ts';
import type { PlannedTest, TestedWorkflow } from '../workflow-tests/planned-test.ts';
import {
  findMisnamedTests,
  isTestFile,
  isTestFileName,
  type ReadTestFile,
  readTestFile,
} from '../workflow-tests/test-file.ts';
import { locateWorkflow, Workflows } from '../workflow-tests/tested-workflow.ts';
import {
  type CompiledPaths,
  compileProject,
  describeTerminal,
  type ProjectOptions,
  type Terminal,
} from './compile-paths.ts';
import { createLiveBackends, type LiveOptions } from './live-backends.ts';
import { type Output, writeOutput } from './outputs.ts';
import { queryRuntime } from './query-runtime.ts';
import { AnswerRecorder } from './recording.ts';

export interface TestOptions extends ProjectOptions {
  readonly outputs: readonly Output[];
  /** Minimum share of steps and branches that tests cover, for each workflow; percent. */
  readonly minCoverage?: number | undefined;
  /** Shows every finding in text formats, not only the first of each code. */
  readonly all?: boolean;
  /** Queries backends for answers that tests lack, and writes them into the tests. */
  readonly record?: LiveOptions | undefined;
}

/**
 * Runs the workflow tests next to specs, with the gateway's engine and in virtual time. Connects to nothing, unless answers are recorded.
 * Returns the exit code: 1 when a test fails or is invalid, or the specs have errors.
 */
export async function test(paths: readonly string[], options: TestOptions): Promise<0 | 1 | 3> {
  const project = loadProject(options.config, process.cwd(), paths);
  const files = findTests(paths, project, process.cwd()).map(found => ({ ...readTestFile(found), path: found.path }));
  if (files.every(({ file, diagnostics }) => file === undefined && diagnostics.length === 0))
    throw new UsageError(`there is no *.test.yaml with tests in ${paths.join(', ') || 'the sources'}`);
  const compiled = await compileProject(listSpecPaths(paths), project, {
    ...options,
    purpose: 'language',
    // An unreadable test file must not count as an incomplete set of specs.
    without: isTestFile,
  });
  const report = new Report();
  const { compilation } = compiled;
  const errors = compilation.findings.all.filter(({ severity }) => severity === 'error');
  report.addAll(errors);
  if (!compilation.checked.complete) report.markIncomplete();

  report.addAll(files.flatMap(({ diagnostics }) => diagnostics));
  report.addAll(findMisnamedTests(compiled.sources.documents));
  const workflows = new Workflows(compilation.gateways, errors);
  const planned = files.flatMap(read => listPlans(read, workflows, report));
  const { record } = options;
  const live =
    record && createLiveBackends(compilation, planned, { ...record, denial: record.denial ?? compiled.project.denial });
  const records = await rehearse({
    runs: planned.map(test => (live === undefined ? test.script : { ...test.script, live: live.listTools(test) })),
    ...(live && { live: live.question }),
  });
  const recording = live && new AnswerRecorder(live);
  for (const [index, test] of planned.entries())
    report.addAll(checkRecord(test, records[index] as RehearsalRecord, recording));
  await recording?.write(text => process.stderr.write(`${text}\n`));

  const isWhole = paths.length === 0 || !paths.every(isTestFileName);
  const covered = computeCoverages(planned, records, workflows, isWhole);
  const { minCoverage } = options;
  if (minCoverage !== undefined) report.addAll(covered.flatMap(workflow => checkCoverage(workflow, minCoverage)));
  const tests = files.flatMap(read => listResults(read, planned, report.findings().all));
  const results = { tests, coverage: covered.map(({ coverage }) => toShownCoverage(coverage)) };
  await show({ compiled, files, findings: report.findings(), results }, options);
  if (!report.complete) return 3;
  if (report.hasErrors) return 1;
  // If no finding explains why a test did not run, the result is incomplete.
  return tests.every(({ status }) => status === 'passed') ? 0 : 3;
}

interface FoundTestFile extends ReadTestFile {
  /** The path as messages show it. */
  readonly path: string;
}

/** The runnable tests of a file. */
function listPlans({ file }: ReadTestFile, workflows: Workflows, report: Report): readonly PlannedTest[] {
  const workflow = file && workflows.of(file);
  if (file === undefined || workflow === undefined) return [];
  if ('code' in workflow) {
    report.add(workflow);
    return [];
  }
  const { planned, diagnostics } = planTests(file, workflow);
  report.addAll(diagnostics);
  return planned;
}

/** If answers were not recorded, only the reasons are reported: without the answers, the test cannot be judged. */
function checkRecord(
  test: PlannedTest,
  record: RehearsalRecord,
  recording: AnswerRecorder | undefined,
): readonly Diagnostic[] {
  const problems = recording?.take(test, record) ?? [];
  return problems.length > 0 ? problems : checkRun(test, record, tool => recording?.whyNot(test, tool));
}

async function rehearse(request: RehearsalRequest): Promise<readonly RehearsalRecord[]> {
  if (request.runs.length === 0) return [];
  const { answers, ended } = await queryRuntime<RehearsalRecord>('rehearse', request);
  if (answers.length < request.runs.length) throw new Error(ended);
  return answers;
}

function listResults(
  { file, path, diagnostics }: FoundTestFile,
  planned: readonly PlannedTest[],
  found: readonly Diagnostic[],
): readonly TestResult[] {
  if (file === undefined)
    return diagnostics.length === 0 ? [] : [{ file: path, pointer: '', name: 'the whole file', status: 'failed' }];
  return file.value.tests.map((test, index): TestResult => {
    const testLocation = { file: file.document.file, pointer: formatPointer(['tests', index]) };
    const isRun = planned.some(plannedTest => plannedTest.test === test);
    const status = found.some(diagnostic => belongsToTest(testLocation, diagnostic))
      ? 'failed'
      : isRun
        ? 'passed'
        : 'not-run';
    return { ...testLocation, name: test.name, status };
  });
}

interface CoveredWorkflow {
  readonly composite: TestedWorkflow['composite'];
  readonly coverage: Coverage;
}

/** @param isWhole whether workflows without tests count as well */
function computeCoverages(
  planned: readonly PlannedTest[],
  records: readonly RehearsalRecord[],
  workflows: Workflows,
  isWhole: boolean,
): readonly CoveredWorkflow[] {
  return workflows.all.flatMap(({ gateway, composite }): readonly CoveredWorkflow[] => {
    // Several gateways may share the definition of one workflow.
    const own = planned.filter(({ workflow }) => workflow.composite.tool === composite.tool);
    const [first] = own;
    if (first === undefined && !isWhole) return [];
    const taken = planned.flatMap((test, index) => (own.includes(test) ? [records[index] as RehearsalRecord] : []));
    return [{ composite, coverage: computeCoverage(gateway, composite, first?.workflow.plan, taken) }];
  });
}

function checkCoverage({ composite, coverage }: CoveredWorkflow, least: number): readonly Diagnostic[] {
  const percent = computePercent(coverage);
  if (percent >= least) return [];
  const message = `the tests of "${composite.name}" cover ${percent} % of its steps and branches, less than ${least} %`;
  const missing = coverage.missing.slice(0, 5).map(({ step, branch, location }) => ({
    message: `not taken: step "${step}"${branch === undefined ? '' : ` ${BRANCHES[branch]}`}`,
    ...location,
  }));
  const { document } = composite.resource;
  return [
    createDiagnostic('LNT7034', { ...locateWorkflow({ composite }), object: document.object }, message, {
      related: missing,
    }),
  ];
}

function toShownCoverage({ missing, ...coverage }: Coverage): TestResults['coverage'][number] {
  return {
    ...coverage,
    percent: computePercent(coverage),
    missing: missing.map(({ step, branch, location: { file, range } }) => ({
      step,
      branch: branch && BRANCHES[branch],
      location: { file, range },
    })),
  };
}

interface ShownResults {
  readonly compiled: CompiledPaths;
  readonly files: readonly ReadTestFile[];
  readonly findings: Findings;
  readonly results: TestResults;
}

async function show(shown: ShownResults, { outputs, all = false }: TestOptions): Promise<void> {
  for (const { format, file } of outputs) {
    const stream = file === undefined ? describeTerminal(process.stdout) : { color: false };
    const text = render(shown, format, { all, ...stream });
    if (file === undefined) process.stdout.write(text);
    else await writeOutput(file, text);
  }
}

function render(
  { compiled: { sources, compilation, project }, files, findings, results }: ShownResults,
  format: Format,
  layout: { readonly all: boolean; readonly color: boolean } & Partial<Terminal>,
): string {
  const texts = new Map<string, SourceText>(
    [...files.flatMap(({ source }) => source ?? []), ...project.texts].map(source => [source.file, source]),
  );
  return RENDERERS[format]({
    findings,
    checked: compilation.checked,
    files: [...texts.keys()].sort(compareText),
    tool: { name: 'lintel', version: VERSION },
    failOn: 'error',
    getLine: (file, line) => findLine(sources, file, line) ?? texts.get(file)?.line(line),
    tests: results,
    ...layout,
  });
}
