/**
 * The conformance suites against backends of several SDKs, direct and through a gateway. Prints a row when its runs have ended, and exits with 1
 * when a scenario is worse through the gateway. `--short`: only the backends of `node_modules`, and the newest revision of each era.
 */
import { parseArgs } from 'node:util';
import { formerSuite, Missing } from '../install.ts';
import { type Report, runSuite, SUITE, type Suite, scenariosByRevision } from '../suite.ts';
import { startGatewayFor } from '../targets.ts';
import { BACKENDS, type Backend } from './backends.ts';
import { type Comparison, compare, confirm } from './compare.ts';

interface Column {
  readonly suite: Suite;
  readonly label: string;
  readonly revision: string;
  readonly scenarios: readonly string[];
}

/** How many separate runs a scenario has to be worse in. */
const RUNS = 3;

const { values } = parseArgs({
  options: { short: { type: 'boolean' }, backend: { type: 'string' }, revision: { type: 'string' } },
});

/** Width of the first cell of a row. */
const WIDTH = Math.max(...BACKENDS.map(({ name }) => name.length));

const columns = (await Promise.all([columnsOf('0.2', SUITE), ...(values.short ? [] : [former()])])).flat();
const backends = BACKENDS.filter(
  ({ name, isOurs }) => (isOurs || !values.short) && name.includes(values.backend ?? ''),
);
const worse: string[] = [];
for (const backend of backends) await judge(backend);
for (const line of worse) console.error(`worse through the gateway: ${line}`);
process.exitCode = worse.length > 0 ? 1 : 0;

async function judge(backend: Backend): Promise<void> {
  let passed = 0;
  let applicable = 0;
  for (const column of columns) {
    const place = [backend.name, column.label, column.revision] as const;
    try {
      const found = await judgeIn(backend, column);
      passed += found.direct;
      applicable += found.applicable;
      for (const [scenario, complaints] of found.worse)
        worse.push(...complaints.map(complaint => `${place.join(', ')}: ${scenario}: ${complaint}`));
      if (found.applicable === 0 && found.worse.size === 0) {
        show(...place, 'skipped: no scenario of this revision checks such a server');
        continue;
      }
      const of = (passed: number) => `${passed}/${found.scenarios}`;
      show(...place, `direct ${of(found.direct)}`, `gateway ${of(found.gateway)}`, `worse ${found.worse.size}`);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      show(backend.name, `skipped: ${error.message}`);
      return;
    }
  }
  // If nothing passes direct, no scenario can be worse, and the run proves nothing.
  if (passed === 0 && applicable > 0) throw new Error(`no scenario passes against ${backend.name} itself`);
}

/** Compares, and repeats the comparison while a scenario is worse: a scenario that is not worse every time is not reported. */
async function judgeIn(backend: Backend, column: Column): Promise<Comparison> {
  let found = await compareIn(backend, column);
  for (let runs = 1; runs < RUNS && found.worse.size > 0; runs++) {
    found = confirm(found, await compareIn(backend, column));
  }
  return found;
}

/** Compares once. Each run has its own backend, because some scenarios change the backend's state. */
async function compareIn(backend: Backend, { suite, revision, scenarios }: Column): Promise<Comparison> {
  const direct = async (): Promise<Report> => {
    await using target = await backend.start();
    return await runSuite(target.url, revision, suite);
  };
  const through = async (): Promise<Report> => {
    await using target = await backend.start();
    await using gateway = await startGatewayFor(target.url);
    return await runSuite(gateway.url, revision, suite);
  };
  return compare(scenarios, await direct(), await through());
}

async function columnsOf(label: string, suite: Suite): Promise<Column[]> {
  const revisions = [...(await scenariosByRevision(suite))];
  const wanted = values.short ? ['2025-11-25', '2026-07-28'] : revisions.map(([revision]) => revision);
  return revisions
    .filter(([revision]) => wanted.includes(revision) && revision.includes(values.revision ?? ''))
    .map(([revision, scenarios]) => ({ suite, label, revision, scenarios }));
}

async function former(): Promise<Column[]> {
  try {
    return await columnsOf('0.1', await formerSuite());
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    show('suite 0.1', `skipped: ${error.message}`);
    return [];
  }
}

function show(name: string, ...cells: readonly string[]): void {
  console.log([name.padEnd(WIDTH), ...cells].join('  '));
}
