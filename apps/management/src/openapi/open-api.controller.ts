import { Controller, Get } from '@nestjs/common';
import { Public, SameEverywhere, Sudo } from '../access/access-level.js';
import { OpenApiService } from './open-api.service.js';

@Controller('api/openapi.json')
export class OpenApiController {
  constructor(private readonly openApi: OpenApiService) {}

  /** Returns this document. */
  @Get()
  @Sudo()
  @SameEverywhere()
  document(): Promise<object> {
    return this.openApi.document();
  }
}

/** Replaces `OpenApiController` when everybody may read the document. */
@Controller('api/openapi.json')
export class PublicOpenApiController {
  constructor(private readonly openApi: OpenApiService) {}

  /** Returns this document. */
  @Get()
  @Public()
  document(): Promise<object> {
    return this.openApi.document();
  }
}
