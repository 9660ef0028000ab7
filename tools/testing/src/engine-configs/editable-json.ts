/** A mutable JSON value. */
export type EditableJson = null | boolean | number | string | EditableJson[] | EditableObject;

/** A mutable JSON object. */
export interface EditableObject {
  [key: string]: EditableJson | undefined;
}
