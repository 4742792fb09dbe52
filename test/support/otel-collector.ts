/** A real OpenTelemetry collector that records everything it receives. Its source is `test/peers/otelcol`. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';
import { GRPC_ADDRESS } from './otlp-receiver.ts';
import { freeOwnPort } from './own-port.ts';
import { eventually, temporaryFolder } from './process.ts';

/** The path of the collector, from the environment's variable or from PATH; undefined if there is none. */
export const COLLECTOR: string | undefined = await findCollector();

const NEEDS = 'needs otelcol (go -C test/peers/otelcol build -o /usr/local/bin/otelcol .)';

/**
 * `describe` for cases that need the collector. Skipped without one, also in CI, because no package contains it and building it with Go takes
 * minutes.
 */
export function withCollector(title: string, body: () => void): void {
  if (COLLECTOR === undefined) describe.skip(`${title} [${NEEDS}]`, body);
  else describe(title, body);
}

export interface Collector extends AsyncDisposable {
  /** The addresses to which clients export, by protocol. */
  readonly endpoints: { readonly 'http/protobuf': string; readonly grpc: string };
  /** Everything that the collector has written. */
  readonly text: string;
}

export async function startCollector(): Promise<Collector> {
  const folder = await temporaryFolder();
  const http = `127.0.0.1:${await freeOwnPort()}`;
  const grpc = `${GRPC_ADDRESS.host ?? '127.0.0.1'}:${GRPC_ADDRESS.port}`;
  const pipeline = { receivers: ['otlp'], exporters: ['debug'] };
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: http }, grpc: { endpoint: grpc } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline },
    },
  };
  await folder.write({ 'config.yaml': JSON.stringify(config) });
  const child = spawn(COLLECTOR ?? 'otelcol', ['--config', `file:${folder.file('config.yaml')}`]);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const ended = new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await folder[Symbol.asyncDispose]();
  };
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`the collector has ended: ${text}`);
    return text.includes('Everything is ready');
  }).catch(async error => {
    await stop();
    throw error;
  });
  return {
    endpoints: { 'http/protobuf': `http://${http}`, grpc: `http://${grpc}` },
    get text() {
      return text;
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function findCollector(): Promise<string | undefined> {
  const { LINTEL_OTELCOL: named = '', PATH = '' } = process.env;
  const places = named === '' ? PATH.split(delimiter).map(folder => join(folder, 'otelcol')) : [named];
  for (const place of places) {
    if (
      await access(place, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return place;
  }
  return undefined;
}
