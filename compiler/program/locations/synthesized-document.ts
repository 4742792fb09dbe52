import type { Range } from '../../diagnostics/diagnostic.ts';
import { locate, type PlacedNode } from '../../source/locate.ts';
import { readFullRoots } from '../../source/read-full-yaml.ts';
import type { Path, ProgramLocations, SourceDocument } from '../../source/source-document.ts';
import { SourceText } from '../../source/source-text.ts';
import { formatLikeSynth } from '../synth-yaml.ts';

/** The YAML of one chart, as cdk8s writes it. Created on first use. */
export class ChartText {
  /** The name of the file as messages show it, such as `app.ts!Eng.yaml`. */
  readonly file: string;
  readonly #objects: readonly unknown[];
  #source: SourceText | undefined;
  #roots: ReadonlyMap<number, PlacedNode> | undefined;

  constructor(file: string, objects: readonly unknown[]) {
    this.file = file;
    this.#objects = objects;
  }

  get source(): SourceText {
    this.#source ??= new SourceText(this.file, this.#objects.map(formatLikeSynth).join('---\n'));
    return this.#source;
  }

  locate(index: number, path: Path, at: 'key' | 'value'): Range {
    this.#roots ??= readFullRoots(this.source);
    const root = this.#roots.get(index);
    // If the document exceeds a limit of the reader, its values have no position.
    return root === undefined ? this.source.range(0, 0) : locate(this.source, root, path, at);
  }
}

/** An object of a program, as a document of the generated YAML. */
export class SynthesizedDocument implements SourceDocument {
  readonly file: string;
  readonly index: number;
  readonly value: unknown;
  readonly caveats = [];
  readonly program: ProgramLocations;
  readonly #chart: ChartText;

  constructor(chart: ChartText, index: number, value: unknown, program: ProgramLocations) {
    this.file = chart.file;
    this.index = index;
    this.value = value;
    this.program = program;
    this.#chart = chart;
  }

  get source(): SourceText {
    return this.#chart.source;
  }

  locate(path: Path, at: 'key' | 'value'): Range {
    return this.#chart.locate(this.index, path, at);
  }
}
