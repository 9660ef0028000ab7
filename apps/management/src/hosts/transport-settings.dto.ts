import { MAX_INT32 } from '@rampart/domain';
import { IsOptional, IsString, Matches } from 'class-validator';
import { AliasedAs } from '../validation/aliased-as.js';
import { STRING } from '../validation/messages.js';
import { Rule } from '../validation/rule.js';
import {
  MaxCharacters,
  OptionalBoolean,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
  OptionalRange,
} from '../validation/rules.js';

const HTTP_VERSIONS = ['1.0', '1.1', '2.0', '3.0'];
const HTTP_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'];

/** Names to lists of values, as the engine's tcp header has them. */
const OptionalHeaderLists = (): PropertyDecorator => (prototype, property) => {
  IsOptional()(prototype, property);
  Rule(
    'isHeaderLists',
    {},
    { validate: (value) => isHeaderLists(value) },
    { message: 'Input should map names to lists of strings' },
  )(prototype, property);
};

const isHeaderLists = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string'));

/** Settings of WebSocket. */
export class WebsocketSettings {
  /** Seconds between pings; 0: none. `heartbeat_period` is another name of it. */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('heartbeat_period')
  heartbeatPeriod?: number | null;
}

/** Settings of gRPC. For null or absent members the client decides. */
export class GrpcSettings {
  /** Whether several packets are sent in one message. */
  @OptionalBoolean()
  multi_mode?: boolean | null;

  /** Seconds without traffic after which the connection is checked. */
  @OptionalInteger(0, MAX_INT32)
  idle_timeout?: number | null;

  /** Seconds after which a check has failed. */
  @OptionalInteger(0, MAX_INT32)
  health_check_timeout?: number | null;

  /** Whether connections without streams are checked too. */
  @OptionalBoolean()
  permit_without_stream?: boolean | null;

  /** The initial size of the HTTP/2 window in bytes. */
  @OptionalInteger(0, MAX_INT32)
  initial_windows_size?: number | null;
}

/** Settings of mKCP. For null or absent members the client decides. */
export class KcpSettings {
  /** The protocol as which packets are disguised. */
  @OptionalOneOf(['none', 'srtp', 'utp', 'wechat-video', 'dtls', 'wireguard'])
  header?: string | null;

  /** The maximum size of a packet in bytes. */
  @OptionalInteger(0, MAX_INT32)
  mtu?: number | null;

  /** Milliseconds between transmissions. */
  @OptionalInteger(0, MAX_INT32)
  tti?: number | null;

  /** Megabytes per second towards the server. */
  @OptionalInteger(0, MAX_INT32)
  uplink_capacity?: number | null;

  /** Megabytes per second towards the client. */
  @OptionalInteger(0, MAX_INT32)
  downlink_capacity?: number | null;

  /** Whether congestion control is enabled. */
  @OptionalBoolean()
  congestion?: boolean | null;

  /** The size of a connection's read buffer in megabytes. */
  @OptionalInteger(0, MAX_INT32)
  read_buffer_size?: number | null;

  /** The size of a connection's write buffer in megabytes. */
  @OptionalInteger(0, MAX_INT32)
  write_buffer_size?: number | null;
}

/** The HTTP request as which the beginning of a TCP connection is disguised. */
export class TcpRequest {
  /** The HTTP method. */
  @OptionalOneOf(HTTP_METHODS)
  method?: string | null;

  /** The HTTP version. */
  @OptionalOneOf(HTTP_VERSIONS)
  version?: string | null;

  /** Headers: a map of names to lists of values, one of which is chosen at random. */
  @OptionalHeaderLists()
  headers?: Record<string, string[]> | null;
}

/** The HTTP response with which the server answers the disguised request. */
export class TcpResponse {
  /** The HTTP status, such as `200`. */
  @Matches(/^[1-5]\d\d$/, { message: 'Input should be a status from 100 to 599 as a string' })
  @IsOptional()
  status?: string | null;

  /** The reason phrase after the status. */
  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  reason?: string | null;

  /** The HTTP version. */
  @OptionalOneOf(HTTP_VERSIONS)
  version?: string | null;

  /** Headers: a map of names to lists of values, one of which is chosen at random. */
  @OptionalHeaderLists()
  headers?: Record<string, string[]> | null;
}

/** Settings of TCP. */
export class TcpSettings {
  /** `http`: the connection is disguised as HTTP. */
  @OptionalOneOf(['none', 'http'])
  header?: string | null;

  /** The HTTP request with which the disguised connection begins. */
  @OptionalObject(() => TcpRequest)
  request?: TcpRequest | null;

  /** The HTTP response to the request with which the disguised connection begins. */
  @OptionalObject(() => TcpResponse)
  response?: TcpResponse | null;
}

/**
 * The reuse of connections by XHTTP. Values are numbers, or ranges such as `16-32`, of which one number is chosen at
 * random.
 */
export class XmuxSettings {
  /** Maximum number of simultaneous requests in a connection. `max_concurrency` is another name of it. */
  @OptionalRange()
  @AliasedAs('max_concurrency')
  maxConcurrency?: number | string | null;

  /** Maximum number of connections. `max_connections` is another name of it. */
  @OptionalRange()
  @AliasedAs('max_connections')
  maxConnections?: number | string | null;

  /** Maximum number of times that a connection is reused. `c_max_reuse_times` is another name of it. */
  @OptionalRange()
  @AliasedAs('c_max_reuse_times')
  cMaxReuseTimes?: number | string | null;

  /** Seconds after which a connection is no longer reused. `h_max_reusable_secs` is another name of it. */
  @OptionalRange()
  @AliasedAs('h_max_reusable_secs')
  hMaxReusableSecs?: number | string | null;

  /** Maximum number of requests in a connection. `h_max_request_times` is another name of it. */
  @OptionalRange()
  @AliasedAs('h_max_request_times')
  hMaxRequestTimes?: number | string | null;

  /**
   * Seconds between the keep-alive messages of an idle connection; 0: the client's default. `h_keep_alive_period` is
   * another name of it.
   */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('h_keep_alive_period')
  hKeepAlivePeriod?: number | null;
}

/** Settings of XHTTP. For null or absent members the inbound and the client decide. */
export class XhttpSettings {
  /** The mode in which upload and download are sent. */
  @OptionalOneOf(['auto', 'packet-up', 'stream-up', 'stream-one'])
  mode?: string | null;

  /** Whether requests are sent without the header of gRPC. */
  @OptionalBoolean()
  no_grpc_header?: boolean | null;

  /** Bytes by which headers are padded, or a range such as `100-1000`. */
  @OptionalRange()
  x_padding_bytes?: number | string | null;

  /** The maximum upload of a request in bytes, or a range. */
  @OptionalRange()
  sc_max_each_post_bytes?: number | string | null;

  /** The minimum number of milliseconds between uploads, or a range. */
  @OptionalRange()
  sc_min_posts_interval_ms?: number | string | null;

  /** The reuse of connections. */
  @OptionalObject(() => XmuxSettings)
  xmux?: XmuxSettings | null;

  /** The id of the host through which the download goes: another host, without a download host of its own. */
  @OptionalInteger(1, MAX_INT32)
  download_settings?: number | null;
}

/** Settings by transport; only those of the inbound's transport have an effect. */
export class TransportSettings {
  /** Settings for WebSocket. */
  @OptionalObject(() => WebsocketSettings)
  websocket_settings?: WebsocketSettings | null;

  /** Settings for gRPC. */
  @OptionalObject(() => GrpcSettings)
  grpc_settings?: GrpcSettings | null;

  /** Settings for mKCP. */
  @OptionalObject(() => KcpSettings)
  kcp_settings?: KcpSettings | null;

  /** Settings for TCP, which is also called raw. */
  @OptionalObject(() => TcpSettings)
  tcp_settings?: TcpSettings | null;

  /** Settings for XHTTP, which is also called SplitHTTP. */
  @OptionalObject(() => XhttpSettings)
  xhttp_settings?: XhttpSettings | null;
}
