/** Finds the scenarios that are worse through the gateway than without it. */
import { ONLY_INFORMATION, type Report } from '../suite.ts';

export interface Comparison {
  /** The number of scenarios that pass without the gateway. */
  readonly direct: number;
  readonly gateway: number;
  readonly scenarios: number;
  /** The scenarios that check something of the server itself, whatever the result. */
  readonly applicable: number;
  /** The scenarios that are worse through the gateway, each with the suite's complaints. */
  readonly worse: ReadonlyMap<string, readonly string[]>;
}

/**
 * A scenario is worse if it passes direct and fails through the gateway. If it fails both ways, it is worse if a check that succeeds direct has
 * a complaint through the gateway. A check that was never reached does not count as lost.
 */
export function compare(scenarios: readonly string[], direct: Report, gateway: Report): Comparison {
  const passes = (report: Report, scenario: string) => report.complaints(scenario).length === 0;
  const count = (report: Report) => scenarios.filter(scenario => passes(report, scenario)).length;
  const worse = new Map<string, readonly string[]>();
  for (const scenario of scenarios) {
    const succeeded = direct.successes(scenario);
    const complaints = gateway.complaints(scenario);
    const lost = passes(direct, scenario) ? complaints : complaints.filter(one => succeeded.has(checkOf(one)));
    if (lost.length > 0) worse.set(scenario, lost);
  }
  const applicable = scenarios.filter(scenario => !direct.complaints(scenario).includes(ONLY_INFORMATION)).length;
  return { direct: count(direct), gateway: count(gateway), scenarios: scenarios.length, applicable, worse };
}

/**
 * Removes the scenarios that are not worse in another run of the same comparison. Servers that send notifications and the response over two
 * connections lose some of them even direct, so one run proves nothing about their scenarios.
 */
export function confirm(found: Comparison, another: Comparison): Comparison {
  return { ...found, worse: new Map([...found.worse].filter(([scenario]) => another.worse.has(scenario))) };
}

/** The check in a complaint such as `FAILURE some-check: words`. */
function checkOf(complaint: string): string {
  return /^[A-Z]+ ([^:]+):/.exec(complaint)?.[1] ?? '';
}
