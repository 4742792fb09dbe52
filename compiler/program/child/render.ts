/** Renders apps to plain objects, as `cdk8s synth` would. */
import type { SynthesizedChart, SynthesizedObject } from '../synthesized.ts';
import type { ChildOutcome, InvalidConstruct } from './exchange.ts';
import type { FoundApp } from './find-apps.ts';
import { atWork, renderedFrom } from './hooks.ts';
import { describePart, describeProblemPart, getConstructFrames, readProvenance } from './provenance.ts';

interface Construct {
  readonly node: { readonly path: string; findAll(): readonly Construct[]; validate(): readonly string[] };
}

interface Chart extends Construct {
  toJson(): readonly object[];
}

interface App extends Construct {
  readonly charts: readonly Chart[];
}

/** Renders the apps. Errors of users' constructs propagate. */
export function renderApps(found: readonly FoundApp[]): ChildOutcome {
  const invalid = found.flatMap(({ app }) => listInvalidConstructs(app as App));
  if (invalid.length > 0) return { type: 'invalid', constructs: invalid };
  const charts: SynthesizedChart[] = [];
  for (const { app, charts: renderedCharts } of found) {
    for (const chart of orderCharts(app as App)) {
      if (renderedCharts !== undefined && !renderedCharts.has(chart)) continue;
      const objects: SynthesizedObject[] = [];
      // Calls `toJson` of the chart, as `App.synth` does, so that charts can adjust their output.
      for (const value of Object.values(chart.toJson())) {
        if (value === undefined) continue;
        const construct = renderedFrom.get(value) ?? chart;
        const constructPath = (construct as Construct).node.path;
        const stray = findStrayValue(value, '', new Set());
        if (stray !== undefined) {
          const part = describePart(construct as Construct, stray.pointer, 'value');
          return { type: 'no-data', part, what: stray.what, frames: getConstructFrames(construct) };
        }
        objects.push({ value, constructPath, ...readProvenance(construct) });
      }
      charts.push({ constructPath: chart.node.path, objects });
    }
  }
  return { type: 'synthesized', charts };
}

function listInvalidConstructs(app: App): readonly InvalidConstruct[] {
  const invalid = app.node.findAll().flatMap(construct => {
    atWork.construct = construct;
    return construct.node.validate().map((message): InvalidConstruct => {
      const part = describeProblemPart(construct, message);
      const { path: constructPath } = construct.node;
      return { constructPath, message: String(message), frames: getConstructFrames(construct), ...(part && { part }) };
    });
  });
  delete atWork.construct;
  return invalid;
}

/** The charts in the order of `App.synth`, which sorts them after it has computed dependencies, as rendering does here. */
function orderCharts(app: App): readonly Chart[] {
  const [first, ...others] = app.charts;
  if (others.length > 0) first?.toJson();
  return app.charts;
}

/** The first value that Kubernetes' YAML cannot represent. */
function findStrayValue(
  value: unknown,
  pointer: string,
  above: Set<object>,
): { readonly pointer: string; readonly what: string } | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { pointer, what: String(value) };
    case 'object': {
      if (value === null) return undefined;
      if (above.has(value)) return { pointer, what: 'an object that contains itself' };
      above.add(value);
      for (const [key, below] of Object.entries(value)) {
        const name = key.replaceAll('~', '~0').replaceAll('/', '~1');
        const stray = below === undefined ? undefined : findStrayValue(below, `${pointer}/${name}`, above);
        if (stray !== undefined) return stray;
      }
      above.delete(value);
      return undefined;
    }
    default:
      return { pointer, what: `a ${typeof value}` };
  }
}
