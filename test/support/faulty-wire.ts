/** A proxy between a client and a server on loopback that alters what it forwards. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Alters the bytes that a server has sent; null closes the connection. */
export type Fault = (bytes: Buffer, offset: number) => Buffer | null;

/** Listens on loopback; `await using` stops it. */
export class FaultyWire implements AsyncDisposable {
  /** The fault of connections that are opened from now on. */
  fault: Fault = bytes => bytes;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** @param origin of the server, such as `http://127.0.0.1:8080` */
  static async start(origin: string): Promise<FaultyWire> {
    const wire = new FaultyWire(Number(new URL(origin).port));
    await new Promise<void>(resolve => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  private constructor(port: number) {
    this.#server = createServer(client => {
      const { fault } = this;
      const server = connect(port, '127.0.0.1');
      let offset = 0;
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
      }
      client.on('data', bytes => server.write(bytes)).once('close', () => server.destroy());
      server.on('data', (bytes: Buffer) => {
        const passed = fault(bytes, offset);
        offset += bytes.length;
        if (passed === null) client.destroy();
        else client.write(passed);
      });
      server.once('close', () => client.end());
    });
  }

  /** The URL through this proxy. */
  url(url: string): string {
    const here = new URL(url);
    here.port = String((this.#server.address() as AddressInfo).port);
    return here.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

/** Closes the connection after a number of bytes. */
export function brokenAfter(length: number): Fault {
  return (bytes, offset) => (offset + bytes.length > length ? null : bytes);
}

/** Changes one bit of one byte. */
export function flippedAt(position: number): Fault {
  return (bytes, offset) => {
    const at = position - offset;
    if (at < 0 || at >= bytes.length) return bytes;
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    return changed;
  };
}
