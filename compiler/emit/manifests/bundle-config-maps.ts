/** A bundle as ConfigMaps: plain if it fits, otherwise compressed, otherwise compressed and split. */
import { gzipSync } from 'node:zlib';
import {
  BUNDLE_FILE,
  DIGEST_ANNOTATION,
  formatBundleConfigMapName,
  toCompressedPath,
  toPartPath,
  type WorkloadKind,
} from '#schemas';
import { isFragile } from '../../source/fragile-text.ts';
import type { OutputFile } from '../bundle-files.ts';
import type { Manifest } from './manifest.ts';

/**
 * Bytes of the JSON text of one ConfigMap. A ConfigMap holds 1 MiB; but client-side apply, the default of `kubectl apply` and Argo CD,
 * copies the object into an annotation, and all annotations of an object together have a limit of 256 KiB. The rest of the 256 KiB is left
 * for metadata and other annotations.
 */
export const MAX_CONFIG_MAP_BYTES: number = 224 * 1024;

/** Bytes of one part before Base64, which turns three bytes into four. */
const MAX_PART_BYTES = (MAX_CONFIG_MAP_BYTES / 4) * 3;

/** One entry of a ConfigMap and its mount path, relative to the bundle's folder. */
interface Piece {
  readonly key: string;
  readonly path: string;
  readonly content: string | Buffer;
}

/** The volume by which pods mount the bundle: the `sources` of a projected volume. */
export interface BundleVolume {
  readonly sources: readonly object[];
}

export interface BundleConfigMaps extends BundleVolume {
  readonly manifests: readonly Manifest[];
}

export interface PackedWorkload {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  readonly selector: { readonly [label: string]: string };
}

/**
 * @param digest `sha256:…` of `text`
 * @param text the text of the bundle
 * @param files the files of the bundle's folder
 */
export function buildBundleConfigMaps(
  workload: PackedWorkload,
  digest: string,
  text: string,
  files: readonly OutputFile[],
): BundleConfigMaps {
  const whole = [{ path: BUNDLE_FILE, text }, ...files];
  const groups = packFiles(whole);
  const isSplit = groups.length > 1;
  const maps = groups.map((pieces, part) => ({
    name: formatBundleConfigMapName(workload, digest, isSplit ? part : undefined),
    pieces,
  }));
  return {
    manifests: maps.map(({ name, pieces }) => buildConfigMap(workload, name, digest, pieces)),
    sources: maps.map(({ name, pieces }) => ({
      configMap: { name, items: pieces.map(({ key, path }) => ({ key, path })) },
    })),
  };
}

function packFiles(files: readonly OutputFile[]): readonly (readonly Piece[])[] {
  const plain = files.map(({ path, text }, index) => createPiece(index, path, text));
  // Compressed data is stored as Base64, where a lost character always changes the digest.
  const isPlain = computeSize(plain) <= MAX_CONFIG_MAP_BYTES && !files.some(({ text }) => isFragile(text));
  if (isPlain) return [plain];
  const small = files.map(({ text }) => compress(text));
  return groupPieces(
    files.flatMap(({ path }, index) => {
      const bytes = small[index] ?? Buffer.alloc(0);
      if (bytes.length <= MAX_PART_BYTES) return [createPiece(index, toCompressedPath(path), bytes)];
      const parts = Array.from({ length: Math.ceil(bytes.length / MAX_PART_BYTES) });
      return parts.map((_, part) =>
        createPiece(index, toPartPath(path, part), bytes.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES)),
      );
    }),
  );
}

/** A path may contain slashes, a key may not; the file's number keeps keys unique. */
function createPiece(index: number, path: string, content: string | Buffer): Piece {
  return {
    key: index === 0 ? path : `${index}-${path.replaceAll(/[^-._a-zA-Z0-9]/g, '-').slice(-200)}`,
    path,
    content,
  };
}

/** Groups pieces in their order. Each group becomes a ConfigMap and is as full as possible. */
function groupPieces(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last !== undefined && computeSize([...last, piece]) <= MAX_CONFIG_MAP_BYTES) last.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

function computeSize(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { content }) => sum + countEncodedBytes(content), 0);
}

function countEncodedBytes(content: string | Buffer): number {
  return typeof content === 'string' ? Buffer.byteLength(JSON.stringify(content)) : Math.ceil(content.length / 3) * 4;
}

/** Without name, time and operating system in the header, which differ between machines. */
function compress(text: string): Buffer {
  const bytes = gzipSync(text, { level: 9 });
  // OS in the header (RFC 1952, 2.3.1): 255 is "unknown".
  bytes[9] = 255;
  return bytes;
}

function buildConfigMap(
  { namespace, selector }: PackedWorkload,
  name: string,
  digest: string,
  pieces: readonly Piece[],
): Manifest {
  const entries = Map.groupBy(pieces, ({ content }) => (typeof content === 'string' ? 'data' : 'binaryData'));
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: selector, annotations: { [DIGEST_ANNOTATION]: digest } },
    immutable: true,
    ...Object.fromEntries(
      [...entries].map(([member, own]) => [
        member,
        Object.fromEntries(
          own.map(({ key, content }) => [key, typeof content === 'string' ? content : content.toString('base64')]),
        ),
      ]),
    ),
  };
}
