import { formatJson } from '../../../diagnostics/render/json-text.ts';
import { combineMatrices } from '../matrix.ts';
import type { MatrixRenderer } from './matrix.ts';

/** The data without notes, for a file that is committed: it changes only if the rights of callers change. */
export const renderMatrixJson: MatrixRenderer = (personas, findings) => formatJson(combineMatrices(personas, findings));
