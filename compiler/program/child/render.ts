/** From apps to plain objects, as `cdk8s synth` would write them. */
import type { GivenAt, SynthesizedChart, SynthesizedObject } from '../synthesized.ts';
import type { InvalidConstruct, Outcome } from './exchange.ts';
import type { FoundApp } from './find-apps.ts';
import { framesOf } from './frames.ts';
import { atWork, madeAt, patchedAt, renderedFrom } from './hooks.ts';

interface Construct {
  readonly node: { readonly path: string; findAll(): readonly Construct[]; validate(): readonly string[] };
}

interface Chart extends Construct {
  toJson(): readonly object[];
}

interface App extends Construct {
  readonly charts: readonly Chart[];
}

/** What `lintel/cdk8s` notes; see `origins.ts` there. The two share this symbol and no code: the program brings its own copy. */
const ORIGINS = Symbol.for('lintel.dev/origins');

interface Noted {
  readonly [ORIGINS]?: readonly {
    readonly pointer: string;
    readonly given: { readonly stack: string; readonly argument: readonly (string | number)[] };
  }[];
}

interface Patch {
  _toJson?(): { readonly op: string; readonly path: string };
}

/** What the construct of a user throws while it is rendered is thrown. */
export function renderApps(found: readonly FoundApp[]): Outcome {
  const invalid = found.flatMap(({ app }) => invalidIn(app as App));
  if (invalid.length > 0) return { type: 'invalid', constructs: invalid };
  const charts: SynthesizedChart[] = [];
  for (const { app, charts: wanted } of found) {
    for (const chart of chartsOf(app as App)) {
      if (wanted !== undefined && !wanted.has(chart)) continue;
      const objects: SynthesizedObject[] = [];
      // As `App.synth` does, so that charts which change what they give are heard.
      for (const value of Object.values(chart.toJson())) {
        if (value === undefined) continue;
        const construct = renderedFrom.get(value) ?? chart;
        const constructPath = (construct as Construct).node.path;
        const stray = strayIn(value, '', new Set());
        if (stray !== undefined) return { type: 'no-data', constructPath, ...stray, frames: framesMade(construct) };
        objects.push({ value, constructPath, origins: originsOf(construct), patches: patchesOf(construct) });
      }
      charts.push({ constructPath: chart.node.path, objects });
    }
  }
  return { type: 'synthesized', charts };
}

function invalidIn(app: App): readonly InvalidConstruct[] {
  const invalid = app.node.findAll().flatMap(construct => {
    atWork.construct = construct;
    return construct.node.validate().map(message => ({
      constructPath: construct.node.path,
      message: String(message),
      frames: framesMade(construct),
    }));
  });
  delete atWork.construct;
  return invalid;
}

/** In the order of `App.synth`, which orders them only after it found out what depends on what; rendering one does that. */
function chartsOf(app: App): readonly Chart[] {
  const [first, ...others] = app.charts;
  if (others.length > 0) first?.toJson();
  return app.charts;
}

/** Where a construct was made. */
export function framesMade(construct: object): GivenAt['frames'] {
  return framesOf(madeAt.get(construct));
}

function originsOf(construct: object): SynthesizedObject['origins'] {
  const noted = ((construct as Noted)[ORIGINS] ?? []).map(({ pointer, given: { stack, argument } }) => ({
    pointer,
    given: { frames: framesOf(stack), argument },
  }));
  if (noted.some(({ pointer }) => pointer === '')) return noted;
  // The third argument of every construct holds its properties.
  return [{ pointer: '', given: { frames: framesMade(construct), argument: [2] } }, ...noted];
}

function patchesOf(construct: object): SynthesizedObject['patches'] {
  const { patches = [] } = construct as { patches?: readonly Patch[] };
  return patches.flatMap(patch => {
    const written = patch._toJson?.();
    if (written === undefined) return [];
    const { op, path } = written;
    return [{ op, path, given: { frames: framesOf(patchedAt.get(patch)), argument: [] } }];
  });
}

/** The first value that is none of YAML's as Kubernetes reads it. */
function strayIn(
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
        const stray = below === undefined ? undefined : strayIn(below, `${pointer}/${name}`, above);
        if (stray !== undefined) return stray;
      }
      above.delete(value);
      return undefined;
    }
    default:
      return { pointer, what: `a ${typeof value}` };
  }
}
