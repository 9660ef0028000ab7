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

/** Settings of gRPC. What is null or absent is left to the client. */
export class GrpcSettings {
  /** Whether several packets go in one message. */
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

  /** The first size of the HTTP/2 window in bytes. */
  @OptionalInteger(0, MAX_INT32)
  initial_windows_size?: number | null;
}

/** Settings of mKCP. What is null or absent is left to the client. */
export class KcpSettings {
  /** What the packets look like. */
  @OptionalOneOf(['none', 'srtp', 'utp', 'wechat-video', 'dtls', 'wireguard'])
  header?: string | null;

  /** The largest packet in bytes. */
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

  /** Whether congestion is controlled. */
  @OptionalBoolean()
  congestion?: boolean | null;

  /** Megabytes that a connection may hold for reading. */
  @OptionalInteger(0, MAX_INT32)
  read_buffer_size?: number | null;

  /** Megabytes that a connection may hold for writing. */
  @OptionalInteger(0, MAX_INT32)
  write_buffer_size?: number | null;
}

/** The HTTP request as which TCP is disguised. */
export class TcpRequest {
  /** The method. */
  @OptionalOneOf(HTTP_METHODS)
  method?: string | null;

  /** The version of HTTP. */
  @OptionalOneOf(HTTP_VERSIONS)
  version?: string | null;

  /** Headers: names to lists of values, of which one is taken at random. */
  @OptionalHeaderLists()
  headers?: Record<string, string[]> | null;
}

/** The HTTP response as which TCP is disguised. */
export class TcpResponse {
  /** The status, such as `200`. */
  @Matches(/^[1-5]\d\d$/, { message: 'Input should be a status from 100 to 599 as a string' })
  @IsOptional()
  status?: string | null;

  /** The text behind the status. */
  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  reason?: string | null;

  /** The version of HTTP. */
  @OptionalOneOf(HTTP_VERSIONS)
  version?: string | null;

  /** Headers: names to lists of values, of which one is taken at random. */
  @OptionalHeaderLists()
  headers?: Record<string, string[]> | null;
}

/** Settings of TCP. */
export class TcpSettings {
  /** `http`: the connection is disguised as HTTP. */
  @OptionalOneOf(['none', 'http'])
  header?: string | null;

  /** The request that begins it. */
  @OptionalObject(() => TcpRequest)
  request?: TcpRequest | null;

  /** The response to it. */
  @OptionalObject(() => TcpResponse)
  response?: TcpResponse | null;
}

/** How XHTTP uses its connections. Numbers, or ranges such as `16-32` of which one is taken at random. */
export class XmuxSettings {
  /** Requests at once in a connection. `max_concurrency` is another name of it. */
  @OptionalRange()
  @AliasedAs('max_concurrency')
  maxConcurrency?: number | string | null;

  /** The largest number of connections. `max_connections` is another name of it. */
  @OptionalRange()
  @AliasedAs('max_connections')
  maxConnections?: number | string | null;

  /** How often a connection is used. `c_max_reuse_times` is another name of it. */
  @OptionalRange()
  @AliasedAs('c_max_reuse_times')
  cMaxReuseTimes?: number | string | null;

  /** Seconds after which a connection is used no more. `h_max_reusable_secs` is another name of it. */
  @OptionalRange()
  @AliasedAs('h_max_reusable_secs')
  hMaxReusableSecs?: number | string | null;

  /** How many requests a connection carries. `h_max_request_times` is another name of it. */
  @OptionalRange()
  @AliasedAs('h_max_request_times')
  hMaxRequestTimes?: number | string | null;

  /**
   * Seconds between the signs of life of an idle connection; 0: the client's default. `h_keep_alive_period` is another
   * name of it.
   */
  @OptionalInteger(0, MAX_INT32)
  @AliasedAs('h_keep_alive_period')
  hKeepAlivePeriod?: number | null;
}

/** Settings of XHTTP. What is null or absent is left to the inbound and the client. */
export class XhttpSettings {
  /** How upload and download are carried. */
  @OptionalOneOf(['auto', 'packet-up', 'stream-up', 'stream-one'])
  mode?: string | null;

  /** Whether requests go without the header of gRPC. */
  @OptionalBoolean()
  no_grpc_header?: boolean | null;

  /** Bytes by which headers are filled up, or a range such as `100-1000`. */
  @OptionalRange()
  x_padding_bytes?: number | string | null;

  /** The largest upload of a request in bytes, or a range. */
  @OptionalRange()
  sc_max_each_post_bytes?: number | string | null;

  /** Milliseconds between uploads at least, or a range. */
  @OptionalRange()
  sc_min_posts_interval_ms?: number | string | null;

  /** How connections are used. */
  @OptionalObject(() => XmuxSettings)
  xmux?: XmuxSettings | null;

  /** The id of the host through which the download goes: another one, that has no download host itself. */
  @OptionalInteger(1, MAX_INT32)
  download_settings?: number | null;
}

/** Settings by transport; those of the inbound's transport count. */
export class TransportSettings {
  /** For WebSocket. */
  @OptionalObject(() => WebsocketSettings)
  websocket_settings?: WebsocketSettings | null;

  /** For gRPC. */
  @OptionalObject(() => GrpcSettings)
  grpc_settings?: GrpcSettings | null;

  /** For mKCP. */
  @OptionalObject(() => KcpSettings)
  kcp_settings?: KcpSettings | null;

  /** For TCP, which is also called raw. */
  @OptionalObject(() => TcpSettings)
  tcp_settings?: TcpSettings | null;

  /** For XHTTP, which is also called SplitHTTP. */
  @OptionalObject(() => XhttpSettings)
  xhttp_settings?: XhttpSettings | null;
}
