import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../access/access-level.js';
import { asset, CONTENT_SECURITY_POLICY, PAGE, START_SCRIPT } from './reference-page.js';

/** Serves Swagger UI. Browsers send no token when they open a page, so it is either open to everybody or absent. */
@Controller('api/docs')
export class ReferencePageController {
  /** Returns a page that shows this document and can send requests. */
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', CONTENT_SECURITY_POLICY)
  page(): string {
    return PAGE;
  }

  /** Returns a script of that page. */
  @Get('start.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  startScript(): string {
    return START_SCRIPT;
  }

  /** Returns a script of that page. */
  @Get('swagger-ui-bundle.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): Promise<Buffer> {
    return asset('swagger-ui-bundle.js');
  }

  /** Returns the style of that page. */
  @Get('swagger-ui.css')
  @Public()
  @Header('content-type', 'text/css; charset=utf-8')
  stylesheet(): Promise<Buffer> {
    return asset('swagger-ui.css');
  }
}
