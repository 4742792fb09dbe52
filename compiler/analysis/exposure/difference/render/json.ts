import { jsonText } from '../../../../diagnostics/render/json-text.ts';
import { DIFFERENCE_FORMAT_VERSION } from '../difference.ts';
import type { DifferenceRenderer } from './rendering.ts';

/** The data itself; an unchanged gateway or server has `change: none`. `notCompared` is omitted when empty. */
export const renderDifferenceJson: DifferenceRenderer = (differences, { notCompared = [] }) =>
  jsonText({
    formatVersion: DIFFERENCE_FORMAT_VERSION,
    differences: differences.map(difference => ({
      ...difference,
      callers: difference.callers.map(({ who, gained, lost }) => ({ who, gained, lost })),
    })),
    ...(notCompared.length === 0 ? {} : { notCompared }),
  });
