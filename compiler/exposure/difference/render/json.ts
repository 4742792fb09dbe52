import { DIFFERENCE_FORMAT_VERSION } from '../difference.ts';
import type { DifferenceRenderer } from './rendering.ts';

/** The data itself; what is the same on both sides has `change: none`. */
export const renderDifferenceJson: DifferenceRenderer = differences =>
  `${JSON.stringify({ formatVersion: DIFFERENCE_FORMAT_VERSION, differences }, null, 2)}\n`;
