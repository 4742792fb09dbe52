import { formatJson } from '../../../../diagnostics/render/json-text.ts';
import { DIFFERENCE_FORMAT_VERSION } from '../difference.ts';
import type { DifferenceRenderer } from './rendering.ts';

/** The data itself; an unchanged gateway or server has `change: none`. `bundles` and `notCompared` are omitted when empty. */
export const renderDifferenceJson: DifferenceRenderer = (differences, { notCompared = [], bundles = [] }) =>
  formatJson({
    formatVersion: DIFFERENCE_FORMAT_VERSION,
    differences: differences.map(difference => ({
      ...difference,
      callers: difference.callers.map(({ who, gained, lost }) => ({ who, gained, lost })),
    })),
    ...(bundles.length === 0 ? {} : { bundles }),
    ...(notCompared.length === 0 ? {} : { notCompared }),
  });
