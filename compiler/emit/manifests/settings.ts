import { BRIDGE_IMAGE, type PrivateDenial, RUNTIME_IMAGE } from '#schemas';

/** Settings for manifests, besides the specs. */
export interface ManifestSettings {
  /** Image of the runtime; by default `RUNTIME_IMAGE`. */
  readonly image?: string | undefined;
  /** Image of the bridge; by default `BRIDGE_IMAGE`. */
  readonly bridgeImage?: string | undefined;
  /** False disables NetworkPolicies; by default the annotation of each object decides. */
  readonly networkPolicy?: boolean | undefined;
  /** Refuses private addresses; by default specs decide. */
  readonly denial?: PrivateDenial | undefined;
}

/** With defaults applied. */
export interface ResolvedSettings {
  readonly image: string;
  readonly bridgeImage: string;
  readonly networkPolicy: boolean;
  readonly denial: PrivateDenial | undefined;
}

/** Images of pods. */
export type Images = Pick<ResolvedSettings, 'image' | 'bridgeImage'>;

export function resolveSettings({ image, bridgeImage, networkPolicy, denial }: ManifestSettings): ResolvedSettings {
  return {
    image: image ?? RUNTIME_IMAGE,
    bridgeImage: bridgeImage ?? BRIDGE_IMAGE,
    networkPolicy: networkPolicy ?? true,
    denial,
  };
}
