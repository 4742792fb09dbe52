/**
 * Characters that do not get through YAML whole, however they are written: what some readers take for a line break or leave out,
 * and control characters, which kustomize refuses after it has read them. JSON has all of these in strings as they are.
 */
export const FRAGILE: RegExp = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

export function isFragile(text: string): boolean {
  return text.search(FRAGILE) >= 0;
}
