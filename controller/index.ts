/** The public interface of the controller: inputs and outputs of `lintel-controller`. */
export type { StatusDocument } from './folder/status-file.ts';
export { readOptions, USAGE } from './options.ts';
