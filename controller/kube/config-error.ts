/** The configuration of the connection cannot be used. The message names the file and the field, and never what a secret field holds. */
export class KubeConfigError extends Error {
  readonly code = 'ERR_KUBE_CONFIG';
}
