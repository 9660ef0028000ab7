import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../access/access-level.js';
import { asset, CONTENT_SECURITY_POLICY, PAGE, START_SCRIPT } from './reference-page.js';

/** Swagger UI over the document. A browser sends no token with a page, so it is there for all or not at all. */
@Controller('api/docs')
export class ReferencePageController {
  /** A page that shows this document, in which each call can be tried. */
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', CONTENT_SECURITY_POLICY)
  page(): string {
    return PAGE;
  }

  /** A script of the page. */
  @Get('start.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  startScript(): string {
    return START_SCRIPT;
  }

  /** A script of the page. */
  @Get('swagger-ui-bundle.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): Promise<Buffer> {
    return asset('swagger-ui-bundle.js');
  }

  /** The style of the page. */
  @Get('swagger-ui.css')
  @Public()
  @Header('content-type', 'text/css; charset=utf-8')
  stylesheet(): Promise<Buffer> {
    return asset('swagger-ui.css');
  }
}
