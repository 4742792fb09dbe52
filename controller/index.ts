/** The public face of the controller room: what `lintel-controller` takes and writes. */
export type { StatusDocument } from './folder/status-file.ts';
export { readOptions, USAGE } from './options.ts';
