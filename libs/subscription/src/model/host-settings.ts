/** A number or a range, such as `100`, `"100"` or `"100-200"`. */
export type RangeText = number | string;

type Optional<T> = { readonly [K in keyof T]?: T[K] | null };

export interface XmuxInput {
  readonly maxConcurrency: RangeText;
  readonly maxConnections: RangeText;
  readonly cMaxReuseTimes: RangeText;
  readonly hMaxReusableSecs: RangeText;
  readonly hMaxRequestTimes: RangeText;
  readonly hKeepAlivePeriod: number;
}

/** The transport settings of a host in the spelling of the API (contract: "transport_settings"). */
export type HostTransportSettings = Optional<{
  websocket_settings: Optional<{ heartbeatPeriod: number }>;
  grpc_settings: Optional<{
    multi_mode: boolean;
    idle_timeout: number;
    health_check_timeout: number;
    permit_without_stream: boolean;
    initial_windows_size: number;
  }>;
  kcp_settings: Optional<{
    /** Is stored but has no effect: engines no longer have such headers. */
    header: string;
    mtu: number;
    tti: number;
    uplink_capacity: number;
    downlink_capacity: number;
    congestion: boolean;
    read_buffer_size: number;
    write_buffer_size: number;
  }>;
  tcp_settings: Optional<{
    header: string;
    request: Optional<{ method: string; version: string; headers: HeaderLists }>;
    response: Optional<{ status: string; reason: string; version: string; headers: HeaderLists }>;
  }>;
  xhttp_settings: Optional<{
    mode: string;
    no_grpc_header: boolean;
    x_padding_bytes: RangeText;
    sc_max_each_post_bytes: RangeText;
    sc_min_posts_interval_ms: RangeText;
    xmux: Optional<XmuxInput>;
    /** The id of the host through which the download goes. */
    download_settings: number;
  }>;
}>;

export type HeaderLists = { readonly [name: string]: readonly string[] };

export type XrayMuxSettings = Optional<{
  enabled: boolean;
  concurrency: number;
  xudpConcurrency: number;
  xudpProxyUDP443: string;
}>;

export type SingBoxMuxSettings = Optional<{
  enable: boolean;
  protocol: string;
  max_connections: number;
  max_streams: number;
  min_streams: number;
  padding: boolean;
  brutal: Optional<{ enable: boolean; up_mbps: number; down_mbps: number }>;
}>;

export type ClashMuxSettings = SingBoxMuxSettings & Optional<{ statistic: boolean; only_tcp: boolean }>;

/** Multiplexing settings per client engine (contract: "mux_settings, fragment_settings, noise_settings"). */
export type HostMuxSettings = Optional<{
  xray: XrayMuxSettings;
  sing_box: SingBoxMuxSettings;
  clash: ClashMuxSettings;
}>;

export type XrayFragmentSettings = Optional<{ packets: string; length: RangeText; interval: RangeText }>;

export type SingBoxFragmentSettings = Optional<{
  fragment: boolean;
  fragment_fallback_delay: string;
  record_fragment: boolean;
}>;

export type HostFragmentSettings = Optional<{ xray: XrayFragmentSettings; sing_box: SingBoxFragmentSettings }>;

export type XrayNoise = { readonly type: string; readonly packet: string } & Optional<{
  delay: RangeText;
  apply_to: string;
}>;

export type HostNoiseSettings = Optional<{ xray: readonly XrayNoise[] }>;
