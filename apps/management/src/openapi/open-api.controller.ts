import { Controller, Get } from '@nestjs/common';
import { Public, Sudo } from '../access/access-level.js';
import { OpenApiService } from './open-api.service.js';

@Controller('api/openapi.json')
export class OpenApiController {
  constructor(private readonly openApi: OpenApiService) {}

  /** This document. */
  @Get()
  @Sudo()
  document(): Promise<object> {
    return this.openApi.document();
  }
}

/** In place of the other where everybody may read the API's description. */
@Controller('api/openapi.json')
export class PublicOpenApiController {
  constructor(private readonly openApi: OpenApiService) {}

  /** This document. */
  @Get()
  @Public()
  document(): Promise<object> {
    return this.openApi.document();
  }
}
