import { IsOptional, IsString, Matches } from 'class-validator';
import { AlsoNamed } from '../http/also-named.js';
import { STRING } from '../http/messages.js';
import { Rule } from '../http/rule.js';
import {
  MaxCharacters,
  OptionalBoolean,
  OptionalInteger,
  OptionalObject,
  OptionalOneOf,
  OptionalRange,
} from '../http/rules.js';

const INT32 = 2 ** 31 - 1;
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
  Object.values(value).every((list) => Array.isArray(list) && list.every((item) => typeof item === 'string'));

export class WebsocketSettings {
  @OptionalInteger(0, INT32)
  @AlsoNamed('heartbeat_period')
  heartbeatPeriod?: number | null;
}

export class GrpcSettings {
  @OptionalBoolean()
  multi_mode?: boolean | null;

  @OptionalInteger(0, INT32)
  idle_timeout?: number | null;

  @OptionalInteger(0, INT32)
  health_check_timeout?: number | null;

  @OptionalBoolean()
  permit_without_stream?: boolean | null;

  @OptionalInteger(0, INT32)
  initial_windows_size?: number | null;
}

export class KcpSettings {
  @OptionalOneOf(['none', 'srtp', 'utp', 'wechat-video', 'dtls', 'wireguard'])
  header?: string | null;

  @OptionalInteger(0, INT32)
  mtu?: number | null;

  @OptionalInteger(0, INT32)
  tti?: number | null;

  @OptionalInteger(0, INT32)
  uplink_capacity?: number | null;

  @OptionalInteger(0, INT32)
  downlink_capacity?: number | null;

  @OptionalBoolean()
  congestion?: boolean | null;

  @OptionalInteger(0, INT32)
  read_buffer_size?: number | null;

  @OptionalInteger(0, INT32)
  write_buffer_size?: number | null;
}

export class TcpRequest {
  @OptionalOneOf(HTTP_METHODS)
  method?: string | null;

  @OptionalOneOf(HTTP_VERSIONS)
  version?: string | null;

  @OptionalHeaderLists()
  headers?: Record<string, string[]> | null;
}

export class TcpResponse {
  @Matches(/^[1-5]\d\d$/, { message: 'Input should be a status from 100 to 599 as a string' })
  @IsOptional()
  status?: string | null;

  @MaxCharacters(64)
  @IsString(STRING)
  @IsOptional()
  reason?: string | null;

  @OptionalOneOf(HTTP_VERSIONS)
  version?: string | null;

  @OptionalHeaderLists()
  headers?: Record<string, string[]> | null;
}

export class TcpSettings {
  @OptionalOneOf(['none', 'http'])
  header?: string | null;

  @OptionalObject(() => TcpRequest)
  request?: TcpRequest | null;

  @OptionalObject(() => TcpResponse)
  response?: TcpResponse | null;
}

export class XmuxSettings {
  @OptionalRange()
  @AlsoNamed('max_concurrency')
  maxConcurrency?: number | string | null;

  @OptionalRange()
  @AlsoNamed('max_connections')
  maxConnections?: number | string | null;

  @OptionalRange()
  @AlsoNamed('c_max_reuse_times')
  cMaxReuseTimes?: number | string | null;

  @OptionalRange()
  @AlsoNamed('h_max_reusable_secs')
  hMaxReusableSecs?: number | string | null;

  @OptionalRange()
  @AlsoNamed('h_max_request_times')
  hMaxRequestTimes?: number | string | null;

  @OptionalInteger(0, INT32)
  @AlsoNamed('h_keep_alive_period')
  hKeepAlivePeriod?: number | null;
}

export class XhttpSettings {
  @OptionalOneOf(['auto', 'packet-up', 'stream-up', 'stream-one'])
  mode?: string | null;

  @OptionalBoolean()
  no_grpc_header?: boolean | null;

  @OptionalRange()
  x_padding_bytes?: number | string | null;

  @OptionalRange()
  sc_max_each_post_bytes?: number | string | null;

  @OptionalRange()
  sc_min_posts_interval_ms?: number | string | null;

  @OptionalObject(() => XmuxSettings)
  xmux?: XmuxSettings | null;

  /** The id of the host through which the download goes. */
  @OptionalInteger(1, INT32)
  download_settings?: number | null;
}

export class TransportSettings {
  @OptionalObject(() => WebsocketSettings)
  websocket_settings?: WebsocketSettings | null;

  @OptionalObject(() => GrpcSettings)
  grpc_settings?: GrpcSettings | null;

  @OptionalObject(() => KcpSettings)
  kcp_settings?: KcpSettings | null;

  @OptionalObject(() => TcpSettings)
  tcp_settings?: TcpSettings | null;

  @OptionalObject(() => XhttpSettings)
  xhttp_settings?: XhttpSettings | null;
}
