/** Reads a zip archive by its directory, as VS Code does: independent of Lintel's code that writes it. */
import { crc32, inflateRawSync } from 'node:zlib';

export function filesIn(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map(offset => archive.readUInt32LE(at + offset));
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    if (archive.toString('utf8', local + 30, local + 30 + nameLength) !== name) throw new Error(`${name}: two names`);
    const start = local + 30 + nameLength + archive.readUInt16LE(local + 28);
    const content = inflateRawSync(archive.subarray(start, start + (packed ?? 0)));
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name}: other bytes than were packed`);
    files.set(name, content);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}
