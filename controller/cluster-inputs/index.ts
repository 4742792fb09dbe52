/** Objects of the cluster as compiler input. */
export { ClusterInputs, findNamespaces, INPUT_KINDS } from './cluster-inputs.ts';
