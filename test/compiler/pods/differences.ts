/** Templates on which Lintel and the API server disagree, each with the reason. */
const OVERWRITTEN =
  'the gateway writes its own labels and annotations over what is no mapping, so the API server never sees it';

export const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ['metadata.labels as text', OVERWRITTEN],
  ['metadata.annotations as text', OVERWRITTEN],
]);
