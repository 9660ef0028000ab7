import { Injectable } from '@nestjs/common';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { RouteRegistry } from './route-registry.js';
import type { OpenApiDocument } from './schema.js';

@Injectable()
export class OpenApiService {
  private built: Promise<OpenApiDocument> | undefined;

  constructor(private readonly registry: RouteRegistry) {}

  /** The document. It is built on first use, because routes do not change while the service runs. */
  document(): Promise<OpenApiDocument> {
    this.built ??= this.build();
    return this.built;
  }

  /** The schemas are loaded only when the document is requested. */
  private async build(): Promise<OpenApiDocument> {
    const { openApiDocument } = await import('./open-api-document.js');
    return openApiDocument(this.registry.routes(), MANAGEMENT_VERSION);
  }
}
