/**
 * Zip archives, byte-for-byte reproducible: without timestamps and owners.
 *
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import { crc32, deflateRawSync } from 'node:zlib';

/** The earliest date that MS-DOS can represent: 1 January 1980. */
const DATE = 0x0021;
/** Version 2.0, the first with deflate. */
const VERSION = 20;
/** The flag for names in UTF-8. */
const FLAGS = 0x0800;
const DEFLATE = 8;
/** The most files that the format can hold without Zip64. */
const MAX_FILES = 0xffff;

/** Contents of files, by path with `/`, in the order in which they are written. */
export type ArchiveFiles = ReadonlyMap<string, Uint8Array>;

export function createZip(files: ArchiveFiles): Buffer {
  if (files.size > MAX_FILES) throw new RangeError(`a zip archive holds ${MAX_FILES} files, and not ${files.size}`);
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const data = deflateRawSync(content, { level: 9 });
    const about = aboutFile(name, content, data);
    const local = Buffer.concat([uint32(0x04034b50), about, name, data]);
    parts.push(local);
    // Made by version 2.0 for MS-DOS; no comment, no attributes, first disk.
    directory.push(Buffer.concat([uint32(0x02014b50), uint16(VERSION), about, Buffer.alloc(10), uint32(offset), name]));
    offset += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const counts = [uint16(files.size), uint16(files.size)];
  const end = Buffer.concat([uint32(0x06054b50), Buffer.alloc(4), ...counts, uint32(size), uint32(offset), uint16(0)]);
  return Buffer.concat([...parts, ...directory, end]);
}

/** The fields that the local header and the central directory share. */
function aboutFile(name: Buffer, content: Uint8Array, data: Buffer): Buffer {
  return Buffer.concat([
    ...[VERSION, FLAGS, DEFLATE, 0, DATE].map(uint16),
    ...[crc32(content), data.length, content.length].map(uint32),
    ...[name.length, 0].map(uint16),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
