/** Objects of the cluster that are compiled in. */
export { ClusterInputs, findNamespaces, INPUT_KINDS } from './cluster-inputs.ts';
