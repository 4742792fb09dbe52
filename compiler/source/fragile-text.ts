/**
 * Characters that do not survive YAML in any notation: some readers treat them as line breaks or drop them, and kustomize refuses control
 * characters. In JSON strings all of them are safe.
 */
export const FRAGILE: RegExp = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

export function isFragile(text: string): boolean {
  return text.search(FRAGILE) >= 0;
}
