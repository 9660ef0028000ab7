import { SetMetadata } from '@nestjs/common';

export const MEDIA_TYPES = 'rampart:media-types';

/** The media types of a route whose handler sets the `content-type` header itself. Only the API's document reads them. */
export const Produces = (...types: string[]): MethodDecorator => SetMetadata(MEDIA_TYPES, types);
