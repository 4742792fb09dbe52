/** An object, and how its program begins. */
import { stringify } from 'yaml';

export interface Row {
  readonly name: string;
  readonly kind: string;
  readonly spec: object;
  /** The exported program, up to its props. */
  readonly says: string;
  /** Why it is written out. */
  readonly because?: string;
}

export const secret = { name: 'keys', key: 'value' };
export const auth = (type: string, block: object) => ({ type, [type]: block });

/** The object as YAML. */
export const formatRow = ({ kind, spec }: Pick<Row, 'kind' | 'spec'>): string =>
  stringify({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name: 'it', namespace: 'mcp' }, spec });
