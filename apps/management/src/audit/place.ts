/** Where a value stands in a document, as far as masks look at it. Indices of lists carry no meaning. */
export interface Place {
  /** The name of the member; of an element, that of its list. */
  readonly name: string;
  /** The name of the member above. */
  readonly above: string;
  /** Whether any member above, or the value itself, holds headers; those of subscriptions are sent to everybody. */
  readonly isInHeaders: boolean;
  /** Whether any member above, or the value itself, is the section `dns` of a core. */
  readonly isInDns: boolean;
}

/** The place of a whole document. */
export const TOP: Place = { name: '', above: '', isInHeaders: false, isInDns: false };

/** The place of a member or an element. A name with dots is the same as a path. */
export const placeBelow = (place: Place, name: string): Place =>
  name.includes('.') ? name.split('.').reduce(step, place) : step(place, name);

/** Whether a member of this name holds headers. */
export const holdsHeaders = (name: string): boolean =>
  name.slice(-'headers'.length).toLowerCase() === 'headers' && name.toLowerCase() !== 'response_headers';

const step = (place: Place, name: string): Place =>
  /^\d*$/.test(name)
    ? place
    : {
        name,
        above: place.name,
        isInHeaders: place.isInHeaders || holdsHeaders(name),
        isInDns: place.isInDns || name.toLowerCase() === 'dns',
      };
