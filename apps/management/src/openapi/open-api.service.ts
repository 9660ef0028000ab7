import { Injectable } from '@nestjs/common';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { RouteRegistry } from './route-registry.js';
import type { OpenApiDocument } from './schema.js';

@Injectable()
export class OpenApiService {
  private built: Promise<OpenApiDocument> | undefined;

  constructor(private readonly registry: RouteRegistry) {}

  /** Built when it is first asked for; routes do not change while the service runs. */
  document(): Promise<OpenApiDocument> {
    this.built ??= this.build();
    return this.built;
  }

  /** The shapes of everything are loaded only for those who ask. */
  private async build(): Promise<OpenApiDocument> {
    const { openApiDocument } = await import('./open-api-document.js');
    return openApiDocument(this.registry.routes(), MANAGEMENT_VERSION);
  }
}
