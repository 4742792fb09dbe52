/** The connection's configuration is unusable. The message names the file and the field, and never contains a secret value. */
export class KubeConfigError extends Error {
  readonly code = 'ERR_KUBE_CONFIG';
}
