import { Injectable, RequestMethod, type Type } from '@nestjs/common';
import {
  HEADERS_METADATA,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  SSE_METADATA,
} from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { ACCESS_LEVEL, type AccessLevel, IDENTITY_PROOF, type IdentityProof } from '../access/access-level.js';
import { MEDIA_TYPES } from '../http/produces.js';
import { VERSIONED } from '../http/version.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RegisteredRoute {
  method: Method;
  /** The registered path, such as `/api/core/:core_id`. */
  path: string;
  /** The index of the path among the paths of its handler. */
  order: number;
  controller: string;
  handler: string;
  level: AccessLevel | undefined;
  /** What a login needs to change who may act; undefined where the route changes no such thing. */
  identityProof: IdentityProof | undefined;
  /** The status of successful answers. */
  status: number;
  /** Media types without parameters; empty when the handler does not declare any. */
  mediaTypes: string[];
  /** Whether the answer has an `ETag`, and a change heeds `If-Match`. */
  isVersioned: boolean;
}

const METHODS: ReadonlyMap<RequestMethod, Method> = new Map([
  [RequestMethod.GET, 'GET'],
  [RequestMethod.POST, 'POST'],
  [RequestMethod.PUT, 'PUT'],
  [RequestMethod.PATCH, 'PATCH'],
  [RequestMethod.DELETE, 'DELETE'],
]);

type HandlerFunction = (...args: never[]) => unknown;

/** The routes of this app, as Nest registered them. */
@Injectable()
export class RouteRegistry {
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly reflector: Reflector,
  ) {}

  routes(): RegisteredRoute[] {
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    return controllers.flatMap(({ metatype }) => (isClass(metatype) ? this.routesOf(metatype) : []));
  }

  private routesOf(controller: Type<object>): RegisteredRoute[] {
    return this.scanner.getAllMethodNames(controller.prototype).flatMap((name) => {
      const handler: HandlerFunction = controller.prototype[name];
      const verb = this.reflector.get<RequestMethod | undefined>(METHOD_METADATA, handler);
      if (verb === undefined) return [];
      const method = METHODS.get(verb);
      if (!method) throw new Error(`${controller.name}.${name} has a method that this API does not use`);
      const common = {
        method,
        controller: controller.name,
        handler: name,
        level: this.reflector.get<AccessLevel | undefined>(ACCESS_LEVEL, handler),
        identityProof: this.reflector.get<IdentityProof | undefined>(IDENTITY_PROOF, handler),
        status:
          this.reflector.get<number | undefined>(HTTP_CODE_METADATA, handler) ??
          (verb === RequestMethod.POST ? 201 : 200),
        mediaTypes: this.mediaTypesOf(handler),
        isVersioned: this.reflector.get<boolean | undefined>(VERSIONED, handler) ?? false,
      };
      return this.pathsOf(controller, handler).map((path, order) => ({ ...common, path, order }));
    });
  }

  private pathsOf(controller: Type<object>, handler: HandlerFunction): string[] {
    const [starts, ends] = [controller, handler].map((target) =>
      [this.reflector.get<string | string[]>(PATH_METADATA, target)].flat(),
    );
    return (starts ?? []).flatMap((start) =>
      (ends ?? []).map((end) => `/${[start, end].filter((part) => part !== '/').join('/')}`),
    );
  }

  private mediaTypesOf(handler: HandlerFunction): string[] {
    const isEventStream = this.reflector.get<boolean | undefined>(SSE_METADATA, handler);
    const headers = this.reflector.get<{ name: string; value: unknown }[] | undefined>(HEADERS_METADATA, handler) ?? [];
    const types = [
      ...(isEventStream ? ['text/event-stream'] : []),
      ...headers.flatMap(({ name, value }) => (name.toLowerCase() === 'content-type' ? [String(value)] : [])),
      ...(this.reflector.get<string[] | undefined>(MEDIA_TYPES, handler) ?? []),
    ];
    return [...new Set(types.map((type) => type.replace(/;.*/, '')))];
  }
}

const isClass = (metatype: unknown): metatype is Type<object> => typeof metatype === 'function';
