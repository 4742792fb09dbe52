import { Construct } from 'constructs';
import { configObject } from './config-object.ts';
import { checkProps, NAMING } from './known-props.ts';
import { type Call, captureCall } from './origins.ts';
import type { BoundPart, GatewayPart } from './part.ts';
import type { NamingProps } from './resource.ts';
import type { CaBundle } from './values/ca-bundle.ts';
import type { SecretKey } from './values/secret.ts';
import type { HttpsUrl } from './values/url.ts';

/** Telemetry settings, declared in the program or elsewhere. */
export interface TelemetryReference extends GatewayPart {
  /** Name of the MCPTelemetryConfig. */
  readonly name: string;
  /**
   * The same settings under another name in traces and metrics. Default: the name of the server.
   *
   * @param serviceName unique for each server
   */
  forService(serviceName: string): GatewayPart;
}

interface Collector {
  /** Headers for the collector: plain text, or a reference to a secret. */
  readonly headers?: { readonly [name: string]: string | SecretKey };
  /** Resource attributes on all traces and metrics. */
  readonly resourceAttributes?: { readonly [name: string]: string };
  /** Emits the older attribute names together with the current ones. Default: true, which will become false. */
  readonly useLegacyAttributes?: boolean;
}

/** Whether traces are sent, and which share of the requests is traced, from `0` to `1`. Default: `0.05`. */
export type Traces = true | { readonly samplingRate: `${number}` };

/** What is sent: traces, metrics, or both. */
type Signals =
  | { readonly traces: Traces; readonly metrics?: boolean }
  | { readonly traces?: Traces; readonly metrics: true };

/** The protection of the connection to the collector: TLS, or none and then no certificate authorities. */
type Protection =
  | { readonly insecure?: false; readonly caBundle?: CaBundle }
  | { readonly insecure: true; readonly caBundle?: never };

/** An OTLP collector. */
export type CollectorProps = Collector &
  Signals &
  Protection & {
    /** The address, as `host:port`, or an https URL. */
    readonly endpoint: `${string}:${number}` | HttpsUrl;
  };

/** A collector for traces and metrics, metrics for Prometheus, or both. */
export type TelemetryProps = NamingProps &
  (
    | { readonly collector: CollectorProps; readonly prometheus?: boolean }
    | { readonly collector?: CollectorProps; readonly prometheus: true }
  );

/**
 * Where traces and metrics are sent (`MCPTelemetryConfig`); several servers can share it.
 *
 * @example
 * const telemetry = new Telemetry(this, 'otel', {
 *   collector: { endpoint: 'otel.observability:4318', traces: { samplingRate: '0.1' }, metrics: true },
 * });
 * new Gateway(this, 'eng', { group, incoming, telemetry: telemetry.forService('eng-gateway') });
 */
export class Telemetry extends Construct implements TelemetryReference {
  readonly name: string;
  readonly #call: Call;

  constructor(scope: Construct, id: string, props: TelemetryProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.#call = captureCall(Telemetry);
    const names = { ...NAMING, collector: true, prometheus: true } as const;
    checkProps('Telemetry', props, names, new.target !== Telemetry);
    const { collector, prometheus } = props;
    const spec = {
      openTelemetry: collector && openTelemetry(collector),
      prometheus: prometheus === undefined ? undefined : { enabled: prometheus },
    };
    configObject(this, 'MCPTelemetryConfig', props, spec, this.#call, {
      '/spec/openTelemetry': [2, 'collector'],
      '/spec/openTelemetry/sensitiveHeaders': [2, 'collector', 'headers'],
      '/spec/openTelemetry/tracing': [2, 'collector', 'traces'],
      '/spec/openTelemetry/metrics': [2, 'collector', 'metrics'],
      '/spec/openTelemetry/caBundleRef': [2, 'collector', 'caBundle'],
      '/spec/prometheus': [2, 'prometheus'],
    });
  }

  /**
   * An MCPTelemetryConfig that is declared elsewhere, such as in YAML.
   *
   * @example
   * new Gateway(this, 'eng', { group, incoming, telemetry: Telemetry.existing('otel').forService('eng-gateway') });
   */
  static existing(name: string): TelemetryReference {
    const call = captureCall(Telemetry.existing);
    const forService = (serviceName: string): GatewayPart => target(name, captureCall(forService), serviceName);
    return { name, forService, ...target(name, call) };
  }

  forService(serviceName: string): GatewayPart {
    return target(this.name, captureCall(Telemetry.prototype.forService), serviceName);
  }

  bind(): BoundPart {
    return bound(this.name, this.#call);
  }
}

function openTelemetry(collector: CollectorProps): object {
  const {
    endpoint,
    insecure,
    headers = {},
    resourceAttributes,
    traces,
    metrics,
    useLegacyAttributes,
    caBundle,
  } = collector;
  const isPlain = (header: [string, string | SecretKey]): header is [string, string] => typeof header[1] === 'string';
  const plain = Object.entries(headers).filter(isPlain);
  const secret = Object.entries(headers).filter(header => !isPlain(header));
  return {
    enabled: true,
    endpoint,
    insecure,
    headers: plain.length === 0 ? undefined : Object.fromEntries(plain),
    sensitiveHeaders: secret.length === 0 ? undefined : secret.map(([name, secretKeyRef]) => ({ name, secretKeyRef })),
    resourceAttributes,
    metrics: metrics === undefined ? undefined : { enabled: metrics },
    tracing: traces === undefined ? undefined : { enabled: true, ...(traces === true ? {} : traces) },
    useLegacyAttributes,
    caBundleRef: caBundle,
  };
}

function target(name: string, call: Call, serviceName?: string): GatewayPart {
  return { bind: () => bound(name, call, serviceName) };
}

/** @param serviceName the first argument of the call */
function bound(name: string, call: Call, serviceName?: string): BoundPart {
  const at = '/spec/telemetryConfigRef';
  return {
    spec: { telemetryConfigRef: { name, ...(serviceName === undefined ? {} : { serviceName }) } },
    origins: [
      { pointer: at, callSite: call.at() },
      ...(serviceName === undefined ? [] : [{ pointer: `${at}/serviceName`, callSite: call.at(0) }]),
    ],
  };
}
