/** The images as OCI archives, which `podman load`, `skopeo copy oci-archive:…` and other tools read. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles, writeTar } from '../archives/tar.ts';
import { ignoreStep, type LogStep } from '../log-step.ts';
import { makeBases } from './bases.ts';
import { buildah } from './buildah.ts';
import { IMAGES, makeImage } from './make.ts';

export interface ImageArchive {
  readonly file: string;
  /** The digest of the image, as registries show it. */
  readonly digest: string;
}

/**
 * Writes one archive for each image into a folder. The same files on the same bases give the same bytes.
 *
 * @param isOnDebian whether base images are built from Debian packages, without any image registry
 * @throws Error when `dist/` was not built
 */
export async function* makeImageArchives(
  destination: string,
  isOnDebian: boolean,
  logStep: LogStep = ignoreStep,
): AsyncGenerator<ImageArchive> {
  const storage = await mkdtemp(join(tmpdir(), 'lintel-images-'));
  try {
    if (isOnDebian) logStep("making the bases of Debian's packages");
    const bases = isOnDebian ? await makeBases(storage) : {};
    for (const target of IMAGES) {
      logStep(`building ${target.image}`);
      const name = await makeImage(storage, target, bases);
      yield await archiveImage(storage, name, join(destination, `${target.image}.tar`));
    }
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

/** @param image the name that `makeImage` returned */
export async function archiveImage(storage: string, image: string, file: string): Promise<ImageArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-archive-'));
  try {
    const [layout, digest] = ['layout', 'digest'].map(name => join(folder, name)) as [string, string];
    // buildah's own archive would contain timestamps.
    await buildah(storage, ['push', '--digestfile', digest, image, `oci:${layout}:${image.replace(/^.*:/, '')}`]);
    await writeTar(file, listFiles(layout));
    return { file, digest: await readFile(digest, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
