/** An object, and the beginning of the program to which it is exported. */
import { stringify } from 'yaml';

export interface Row {
  readonly name: string;
  readonly kind: string;
  readonly spec: object;
  /** The exported program, up to its props. */
  readonly says: string;
  /** Why the program contains the object as it is, without a construct. */
  readonly because?: string;
}

export const secret = { name: 'keys', key: 'value' };
export const auth = (type: string, block: object) => ({ type, [type]: block });

/** The object as YAML. */
export const formatRow = ({ kind, spec }: Pick<Row, 'kind' | 'spec'>): string =>
  stringify({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name: 'it', namespace: 'mcp' }, spec });
