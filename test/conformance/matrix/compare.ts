/** What is worse through the gateway than direct. */
import type { Report } from '../suite.ts';

export interface Comparison {
  /** Scenarios without a complaint. */
  readonly direct: number;
  readonly gateway: number;
  readonly scenarios: number;
  /** What the suite says of scenarios that are worse through the gateway. */
  readonly worse: readonly string[];
}

/**
 * A scenario is worse when it passes direct and not through the gateway, or fails both ways and a check that succeeds direct is
 * complained of through the gateway. A check that is only made further on is none that could be lost.
 */
export function compare(scenarios: readonly string[], direct: Report, gateway: Report): Comparison {
  const passes = (report: Report, scenario: string) => report.complaints(scenario).length === 0;
  const count = (report: Report) => scenarios.filter(scenario => passes(report, scenario)).length;
  const worse = scenarios.flatMap(scenario => {
    const succeeded = direct.successes(scenario);
    const complaints = gateway.complaints(scenario);
    const lost = passes(direct, scenario) ? complaints : complaints.filter(one => succeeded.has(checkOf(one)));
    return lost.map(complaint => `${scenario}: ${complaint}`);
  });
  return { direct: count(direct), gateway: count(gateway), scenarios: scenarios.length, worse };
}

/** The check of a complaint such as `FAILURE some-check: words`. */
function checkOf(complaint: string): string {
  return /^[A-Z]+ ([^:]+):/.exec(complaint)?.[1] ?? '';
}
