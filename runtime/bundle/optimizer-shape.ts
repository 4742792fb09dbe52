import { count, type Shape } from './checks.ts';

const between = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most ? undefined : `is not a number from ${least} to ${most}`;

/** `optimizer` of a gateway. */
export const OPTIMIZER: Shape = {
  maxTools: value => count(value) ?? ((value as number) >= 1 ? undefined : 'is not at least 1'),
  semanticRatio: between(0, 1),
  distanceThreshold: between(0, 2),
};
