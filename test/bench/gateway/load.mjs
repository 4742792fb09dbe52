/**
 * The load generator. It sends requests over raw sockets, one after the other on each connection, and measures how fast they are answered. It is
 * a process of its own: its parent process sends a `Job` and gets counts and percentiles back.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { signTokens } from './tokens.ts';

/** How long requests are sent before the clock starts, so that connections are open and V8 has optimized the code; milliseconds. */
const WARM_MS = 150;

/** The placeholder in `body` for an id and other parts that differ; ids are as long, so that all requests and all answers of a slice have one length. */
const ID_PLACE = '1000000';

/** Posts a JSON-RPC request, each time with another id. */
class Calls {
  constructor({ url, body }, head) {
    const { host, pathname } = new URL(url);
    const length = Buffer.byteLength(body);
    this.before = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${length}\r\n${head}`;
    this.parts = body.split(ID_PLACE);
    this.id = Number(ID_PLACE);
    /** The length of the first response, which was read in full. */
    this.length = 0;
  }

  next(ownHead) {
    return `${this.before}${ownHead}\r\n${this.parts.join(++this.id)}`;
  }

  /** Reads the first response. The others must have the same length, except for the lines that frame chunks. */
  isGood(bytes, read) {
    if (this.length !== 0) return Math.abs(bytes - this.length) <= 64;
    this.length = bytes;
    const text = read().toString();
    return text.includes(`"id":${this.id}`) && text.includes('"result"');
  }
}

/** Sends GET requests for the paths, one after the other; all connections take from the same list. */
class Gets {
  constructor({ url, holds }, head, paths) {
    this.before = `HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${head}`;
    this.holds = holds;
    this.paths = paths;
  }

  next(ownHead) {
    return `GET ${this.paths.next().value} ${this.before}${ownHead}\r\n`;
  }

  /** Reads only the first response. */
  isGood(_bytes, read) {
    const isGood = this.holds === undefined || read().includes(this.holds);
    this.holds = undefined;
    return isGood;
  }
}

/** Refreshes a token, each time with the refresh token of the previous response. */
class Refreshes {
  constructor({ url, clientId, refreshTokens }, head, index) {
    const { host, pathname } = new URL(url);
    this.before = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}`;
    this.form = `grant_type=refresh_token&client_id=${clientId}&refresh_token=`;
    this.token = refreshTokens[index];
  }

  next(ownHead) {
    const body = this.form + this.token;
    return `${this.before}${ownHead}Content-Length: ${body.length}\r\n\r\n${body}`;
  }

  isGood(_bytes, read) {
    const token = /"refresh_token":"([^"]+)"/.exec(read().toString())?.[1];
    const isGood = token !== undefined && token !== this.token;
    this.token = token;
    return isGood;
  }
}

function requestsOf(job, head, index, paths) {
  if (job.refreshTokens !== undefined) return new Refreshes(job, head, index);
  return job.paths === undefined ? new Calls(job, head) : new Gets(job, head, paths);
}

function* inTurn(paths) {
  for (;;) yield* paths;
}

class Client {
  constructor(job, tokens, index, paths, onAnswer) {
    this.onAnswer = onAnswer;
    const head = job.heads[index % job.heads.length];
    this.tokens = tokens;
    this.reset();
    /** One for each URL; requests take them in turn. */
    const urls = job.urls ?? [job.url];
    this.ways = (job.keepsUrl ? [urls[index % urls.length]] : urls).map(url => {
      const requests = requestsOf({ ...job, url }, head, index, paths);
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.on('data', chunk => this.data(chunk));
      socket.on('error', error => fail(error.message));
      return { requests, socket, connected: once(socket, 'connect') };
    });
    this.turn = index;
  }

  connected() {
    return Promise.all(this.ways.map(({ connected }) => connected));
  }

  close() {
    for (const { socket } of this.ways) socket.destroy();
  }

  reset() {
    /** The chunks of the response so far. They are joined when they are read. */
    this.chunks = [];
    this.bytes = 0;
    this.end = undefined;
    this.headEnd = -1;
  }

  send() {
    this.sentAt = performance.now();
    const head = this.tokens === undefined ? '' : `Authorization: Bearer ${this.tokens.pop()}\r\n`;
    const { requests, socket } = this.ways[++this.turn % this.ways.length];
    this.requests = requests;
    socket.write(requests.next(head));
  }

  data(chunk) {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.headEnd === -1) {
      const received = this.joined();
      this.headEnd = received.indexOf('\r\n\r\n');
      if (this.headEnd === -1) return;
      const head = received.latin1Slice(0, this.headEnd);
      if (!head.startsWith('HTTP/1.1 200')) fail(received.toString());
      const length = /content-length: (\d+)/i.exec(head);
      this.end = length === null ? undefined : this.headEnd + 4 + Number(length[1]);
    }
    const isWhole = this.end === undefined ? isChunkedEnd(this.joined()) : this.bytes === this.end;
    if (!isWhole) return;
    const tookMs = performance.now() - this.sentAt;
    if (!this.requests.isGood(this.bytes, () => this.joined())) fail(this.joined().toString());
    this.reset();
    this.onAnswer(this, tookMs);
  }

  joined() {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0];
  }
}

function isChunkedEnd(bytes) {
  return bytes.length >= 7 && bytes.latin1Slice(bytes.length - 7) === '\r\n0\r\n\r\n';
}

function fail(what) {
  process.stderr.write(`load: unexpected answer: ${what.slice(0, 600)}\n`);
  process.exit(1);
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** @param tokens bearer tokens, each for one request; undefined for requests without a token */
function slice(job, tokens) {
  return new Promise(resolve => {
    const times = [];
    let startsAt = performance.now() + WARM_MS;
    let endsAt = startsAt + job.ms;
    let open = job.connections;
    let warm = true;
    const paths = inTurn(job.paths);
    const clients = Array.from(
      { length: job.connections },
      (_, index) => new Client(job, tokens, index, paths, onAnswer),
    );
    function onAnswer(client, tookMs) {
      const now = performance.now();
      if (warm && now >= startsAt) {
        warm = false;
        // The parent reads the processes' clocks now.
        process.send({ event: 'started' });
        startsAt = now;
        endsAt = now + job.ms;
      } else if (!warm && now < endsAt) times.push(tookMs);
      if (tokens?.length === 0) endsAt = Math.min(endsAt, now);
      if (now < endsAt) return client.send();
      client.close();
      if (--open > 0) return;
      const sorted = Float64Array.from(times).sort();
      resolve({
        requests: sorted.length,
        perSecond: (sorted.length * 1000) / (endsAt - startsAt),
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
        ...(job.refreshTokens === undefined ? {} : { refreshTokens: clients.map(({ requests }) => requests.token) }),
      });
    }
    for (const client of clients) client.connected().then(() => client.send());
  });
}

process.on('message', async job => {
  const tokens = job.tokens === undefined ? undefined : await signTokens(job.tokens);
  process.send({ event: 'done', result: await slice(job, tokens) });
});
process.on('disconnect', () => process.exit(0));
