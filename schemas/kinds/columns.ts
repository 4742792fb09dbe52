/** Printer columns that several kinds have. */
import type { PrinterColumn } from './define.ts';

export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Shows the status of one condition. */
export function conditionColumn(name: string, condition: string): PrinterColumn {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=='${condition}')].status` };
}

export const validColumn: PrinterColumn = conditionColumn('Valid', 'Valid');

export const readyColumn: PrinterColumn = conditionColumn('Ready', 'Ready');
