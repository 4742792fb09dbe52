/** Applies safe fixes, and reverts those that cause a finding. */
export { fixTexts } from './fix-texts.ts';
export type { LeftFix, PlannedFix } from './planned-fixes.ts';
export { formatUnifiedDiff } from './unified-diff.ts';
