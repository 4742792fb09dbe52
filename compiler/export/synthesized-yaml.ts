import { formatLikeSynth } from '../program/synth-yaml.ts';
import type { SynthesizedProgram } from '../program/synthesized.ts';

/** A file as `cdk8s synth` writes it. */
export interface ChartFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The charts of a program, byte for byte as `cdk8s synth` writes them, each as a file. Charts that depend on others are not numbered.
 */
export function listChartFiles({ charts }: SynthesizedProgram): readonly ChartFile[] {
  return charts.map(({ constructPath, objects }) => ({
    path: `${constructPath.replaceAll('/', '-')}.k8s.yaml`,
    text: objects.map(({ value }) => formatLikeSynth(value)).join('---\n'),
  }));
}

/** The YAML of all charts in one stream. */
export function joinChartFiles({ charts }: SynthesizedProgram): string {
  return charts.flatMap(({ objects }) => objects.map(({ value }) => formatLikeSynth(value))).join('---\n');
}
