/** Specs as a program of constructs, and a program as YAML. */
export { exportProgram } from './program.ts';
export { joinChartFiles, listChartFiles } from './synthesized-yaml.ts';
export { deriveTitle } from './title.ts';
