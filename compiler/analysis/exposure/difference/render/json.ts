import { jsonText } from '../../../../diagnostics/render/json-text.ts';
import { DIFFERENCE_FORMAT_VERSION } from '../difference.ts';
import type { DifferenceRenderer } from './rendering.ts';

/** The data itself; what is the same on both sides has `change: none`. */
export const renderDifferenceJson: DifferenceRenderer = differences =>
  jsonText({ formatVersion: DIFFERENCE_FORMAT_VERSION, differences });
