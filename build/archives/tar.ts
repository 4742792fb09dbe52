/**
 * Tar archives, byte-for-byte reproducible: no timestamps, no owner, and files in the given order.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const BLOCK = 512;
/** Two empty blocks end an archive. */
const END = Buffer.alloc(2 * BLOCK);

export interface TarFile {
  /** The path in the archive, relative and with `/`. */
  readonly path: string;
  /** The bytes, or the path of the file that contains them. */
  readonly content: Uint8Array | { readonly file: string };
  readonly isExecutable?: boolean;
}

/** Writes an archive; compressed where its name ends in `.tgz` or `.tar.gz`. */
export async function writeTar(archive: string, files: Iterable<TarFile> | AsyncIterable<TarFile>): Promise<void> {
  await mkdir(dirname(archive), { recursive: true });
  const [from, to] = [Readable.from(blocks(files)), createWriteStream(archive)];
  if (/\.t(ar\.)?gz$/.test(archive)) await pipeline(from, createGzip({ level: 9 }), to);
  else await pipeline(from, to);
}

/**
 * All files of a folder by name, sorted.
 * @param prefix prepended to their paths
 */
export async function* listFiles(folder: string, prefix = ''): AsyncGenerator<TarFile> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  for (const file of paths.sort()) {
    const isExecutable = ((await stat(file)).mode & 0o100) !== 0;
    yield { path: prefix + file.slice(folder.length + 1), content: { file }, isExecutable };
  }
}

async function* blocks(files: Iterable<TarFile> | AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const { path, content, isExecutable = false } of files) {
    const size = 'file' in content ? (await stat(content.file)).size : content.length;
    const name = Buffer.from(path);
    // A name that is too long gets an extended header (pax).
    if (name.length > 100) yield* paxHeader(path);
    yield header(name.subarray(0, 100), size, isExecutable ? 0o755 : 0o644, '0');
    if ('file' in content) yield* createReadStream(content.file);
    else yield content;
    yield padding(size);
  }
  yield END;
}

function* paxHeader(path: string): Generator<Uint8Array> {
  const record = ` path=${path}\n`;
  const bytes = Buffer.byteLength(record);
  // The length that a record states includes the digits of this number itself.
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  const content = Buffer.from(`${length}${record}`);
  yield header(Buffer.from('pax-header'), content.length, 0o644, 'x');
  yield content;
  yield padding(content.length);
}

function padding(size: number): Uint8Array {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** @param type `0` for a file, `x` for the extended header of the next file */
function header(name: Uint8Array, size: number, mode: number, type: string): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.set(name, 0);
  octal(mode, 100, 7);
  // User and group.
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  // The checksum is computed over a header with blanks in the checksum's field.
  block.fill(' ', 148, 156);
  block.write(type, 156, 'latin1');
  block.write('ustar\0' + '00', 257, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}
