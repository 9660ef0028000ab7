import { SetMetadata } from '@nestjs/common';

export const MEDIA_TYPES = 'rampart:media-types';

/** Media types of a route's answers, where the answer itself sets the header; for the API's document alone. */
export const Produces = (...types: string[]): MethodDecorator => SetMetadata(MEDIA_TYPES, types);
