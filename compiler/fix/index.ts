/** Applies fixes, and takes back those that bring a finding. */
export { fixTexts } from './fix-texts.ts';
export type { LeftFix, PlannedFix } from './planned-fixes.ts';
export { unifiedDiff } from './unified-diff.ts';
