import { stringify } from 'yaml';

/** An object as `cdk8s synth` writes it, byte for byte: in YAML 1.1, which most readers of Kubernetes manifests use. */
export function formatLikeSynth(object: unknown): string {
  return stringify(object, { keepUndefined: true, lineWidth: 0, version: '1.1' });
}
